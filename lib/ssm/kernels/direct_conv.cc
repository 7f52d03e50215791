#include "ssm/kernels/direct_conv.h"

#include "ssm/kernels/lanes-inl.h"

namespace ssm::kernels {
namespace {

/// One block of 16 channels: [steps, 16] arrays of taps, inputs and results.
template <class T>
class BlockConv {
 public:
  BlockConv(const ConvShape<T>& shape, int64_t block, T* scratch)
      : shape_(shape),
        first_(block * kLanes),
        width_(std::min(kLanes, shape.channels - first_)),
        taps_(scratch),
        a_(taps_ + shape.steps * kLanes),
        b_(a_ + shape.steps * kLanes),
        result_(b_ + shape.steps * kLanes) {}

  void Forward(const T* x, const T* kernel, T* y) {
    PackTaps(kernel);
    for (int64_t row = 0; row < shape_.rows; ++row) {
      Pack(x, row, a_);
      for (int64_t t = 0; t < shape_.steps; ++t) {
        // sum_k K[k] x[t - k]
        Products(taps_, a_ + t * kLanes, -kLanes, t + 1, result_ + t * kLanes);
      }
      UnpackColumns(result_, shape_.channels, shape_.steps, width_, y + Offset(row));
    }
  }

  void InputGradient(const T* kernel, const T* gy, T* gx) {
    PackTaps(kernel);
    for (int64_t row = 0; row < shape_.rows; ++row) {
      Pack(gy, row, a_);
      for (int64_t t = 0; t < shape_.steps; ++t) {
        // sum_k K[k] gy[t + k]
        Products(taps_, a_ + t * kLanes, kLanes, shape_.steps - t, result_ + t * kLanes);
      }
      AddColumns(result_, shape_.channels, shape_.steps, width_, gx + Offset(row));
    }
  }

  void KernelGradient(const T* x, const T* gy, T* g_kernel) {
    for (int64_t row = 0; row < shape_.rows; ++row) {
      Pack(x, row, a_);
      Pack(gy, row, b_);
      for (int64_t k = 0; k < shape_.steps; ++k) {
        // sum_s x[s] gy[s + k]
        Products(a_, b_ + k * kLanes, kLanes, shape_.steps - k, result_ + k * kLanes);
      }
      for (int64_t c = 0; c < width_; ++c) {
        T* taps = g_kernel + (first_ + c) * shape_.taps;
        for (int64_t k = 0; k < shape_.steps; ++k) taps[k] += result_[k * kLanes + c];
      }
    }
  }

 private:
  int64_t Offset(int64_t row) const { return row * shape_.steps * shape_.channels + first_; }
  void Pack(const T* from, int64_t row, T* to) const {
    PackColumns(from + Offset(row), shape_.channels, shape_.steps, width_, to);
  }
  void PackTaps(const T* kernel) {
    std::fill_n(taps_, shape_.steps * kLanes, T{0});
    for (int64_t c = 0; c < width_; ++c) {
      const T* from = kernel + (first_ + c) * shape_.taps;
      for (int64_t k = 0; k < shape_.steps; ++k) taps_[k * kLanes + c] = from[k];
    }
  }

  /// to [16] = sum_i a[16 i] b[stride i] over n terms.
  static void Products(const T* a, const T* b, int64_t stride, int64_t n, T* to) {
    const LaneTag<T> tag;
    ForEachVector<T>([&](int64_t lane) {
      LaneVec<T> even = hn::Zero(tag), odd = hn::Zero(tag);
      int64_t i = 0;
      for (; i + 2 <= n; i += 2) {
        const T *p = a + i * kLanes + lane, *q = b + i * stride + lane;
        even = hn::MulAdd(hn::Load(tag, p), hn::Load(tag, q), even);
        odd = hn::MulAdd(hn::Load(tag, p + kLanes), hn::Load(tag, q + stride), odd);
      }
      if (i < n) {
        even = hn::MulAdd(hn::Load(tag, a + i * kLanes + lane),
                          hn::Load(tag, b + i * stride + lane), even);
      }
      hn::Store(hn::Add(even, odd), tag, to + lane);
    });
  }

  const ConvShape<T>& shape_;
  int64_t first_;
  int64_t width_;
  T *taps_, *a_, *b_, *result_;
};

}  // namespace

template <class T>
int64_t DirectConvScratch(const ConvShape<T>& shape) {
  return 4 * shape.steps * kLanes;
}

template <class T>
void DirectConv(const ConvShape<T>& shape, const T* x, const T* kernel, T* y, T* scratch) {
  for (int64_t block = 0; block < LaneBlocks(shape.channels); ++block) {
    BlockConv<T>(shape, block, scratch).Forward(x, kernel, y);
  }
}

template <class T>
void DirectConvBackward(const ConvShape<T>& shape, const T* x, const T* kernel, const T* gy, T* gx,
                        T* g_kernel, T* scratch) {
  for (int64_t block = 0; block < LaneBlocks(shape.channels); ++block) {
    BlockConv<T> conv(shape, block, scratch);
    if (gx != nullptr) conv.InputGradient(kernel, gy, gx);
    if (g_kernel != nullptr) conv.KernelGradient(x, gy, g_kernel);
  }
}

#define SSM_INSTANTIATE(T)                                                   \
  template int64_t DirectConvScratch(const ConvShape<T>&);                   \
  template void DirectConv(const ConvShape<T>&, const T*, const T*, T*, T*); \
  template void DirectConvBackward(const ConvShape<T>&, const T*, const T*, const T*, T*, T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
