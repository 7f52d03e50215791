#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

/// Four dot products with one x: its loads are shared and the horizontal sums overlap.
template <class T>
void Dot4(int64_t n, const T* w, const T* x, T* sums) {
  const T *w0 = w, *w1 = w + n, *w2 = w + 2 * n, *w3 = w + 3 * n;
  T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
  for (int64_t i = 0; i < n; ++i) {
    s0 += w0[i] * x[i];
    s1 += w1[i] * x[i];
    s2 += w2[i] * x[i];
    s3 += w3[i] * x[i];
  }
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
}

}  // namespace

template <class T>
void Gemv(int64_t out, int64_t in, const T* weight, const T* x, T* y, bool add) {
  int64_t j = 0;
  for (; j + 4 <= out; j += 4) {
    T sums[4];
    Dot4(in, weight + j * in, x, sums);
    for (int64_t i = 0; i < 4; ++i) y[j + i] = (add ? y[j + i] : T{0}) + sums[i];
  }
  for (; j < out; ++j) y[j] = (add ? y[j] : T{0}) + Dot(in, weight + j * in, x);
}

template void Gemv(int64_t, int64_t, const float*, const float*, float*, bool);
template void Gemv(int64_t, int64_t, const double*, const double*, double*, bool);

}  // namespace ssm::kernels
