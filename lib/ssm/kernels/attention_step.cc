#include "ssm/kernels/attention_softmax-inl.h"

namespace ssm::kernels {

template <class T>
void AttendToken(int64_t heads, int64_t d_head, const DistanceBias<T>& bias, const T* qkv,
                 std::span<const KeyRun<T>> runs, T* y) {
  const int64_t width = heads * d_head;
  const T scale = AttentionScale<T>(d_head);
  WithHead<T>(d_head, [&]<class Head>(const Head& head) {
    for (int64_t h = 0; h < heads; ++h) {
      const int64_t first = h * d_head;
      const T *q = qkv + first, *k = q + width, *v = k + width;
      std::copy_n(v, d_head, y + first);
      RunningSoftmax<T, Head> softmax{
          head, d_head,    bias, h, q, scale, head.Product(q, k) * scale + bias.At(h, 0),
          T{1}, y + first, heads};
      for (const KeyRun<T>& run : runs) softmax.Add(run, first, width);
      const T inverse = 1 / softmax.sum;
      for (int64_t d = 0; d < d_head; ++d) y[first + d] *= inverse;
    }
  });
}

template void AttendToken(int64_t, int64_t, const DistanceBias<float>&, const float*,
                          std::span<const KeyRun<float>>, float*);
template void AttendToken(int64_t, int64_t, const DistanceBias<double>&, const double*,
                          std::span<const KeyRun<double>>, double*);

}  // namespace ssm::kernels
