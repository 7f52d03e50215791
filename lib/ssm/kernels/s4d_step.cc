#include "ssm/kernels/s4d_step.h"

#include <cmath>

namespace ssm::kernels {
namespace {

template <class T>
T StepComplex(const StepChannel<T>& channel, int64_t modes, T x, T* h) {
  const T *a_re = channel.a_re, *a_im = channel.a_im;
  const T *b_re = channel.b_re, *b_im = channel.b_im;
  const T *c_re = channel.c_re, *c_im = channel.c_im;
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t n = 0; n < modes; ++n) {
    const T re = h[2 * n], im = h[2 * n + 1];
    const T next_re = re + b_re[n] * x + a_re[n] * re - a_im[n] * im;
    const T next_im = im + b_im[n] * x + a_re[n] * im + a_im[n] * re;
    h[2 * n] = next_re;
    h[2 * n + 1] = next_im;
    sum += c_re[n] * next_re - c_im[n] * next_im;
  }
  return sum;
}

}  // namespace

template <class T>
T StepDiagonal(const StepChannel<T>& channel, int64_t modes, T x, T* h) {
  if (channel.a_im != nullptr) return StepComplex(channel, modes, x, h);
  const T *a = channel.a_re, *b = channel.b_re, *c = channel.c_re;
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t n = 0; n < modes; ++n) {
    h[n] += b[n] * x + a[n] * h[n];
    sum += c[n] * h[n];
  }
  return sum;
}

template float StepDiagonal(const StepChannel<float>&, int64_t, float, float*);
template double StepDiagonal(const StepChannel<double>&, int64_t, double, double*);

}  // namespace ssm::kernels
