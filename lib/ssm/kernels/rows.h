// Kernels over one contiguous row, shared by batched kernels and steppers.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// Sum of a_i b_i, accumulated in vector lanes.
template <class T>
inline T Dot(int64_t n, const T* a, const T* b) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

template <class T>
inline T Sum(int64_t n, const T* a) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += a[i];
  return sum;
}

/// n >= 1.
template <class T>
inline T Largest(int64_t n, const T* a) {
  T largest = a[0];
#pragma omp simd reduction(max : largest)
  for (int64_t i = 0; i < n; ++i) largest = a[i] > largest ? a[i] : largest;
  return largest;
}

/// y += alpha x.
template <class T>
inline void Axpy(int64_t n, T alpha, const T* x, T* y) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] += alpha * x[i];
}

/// y [out] = or += W x, W [out, in] row-major: one row of GemmTransposedB.
template <class T>
void Gemv(int64_t out, int64_t in, const T* weight, const T* x, T* y, bool add);

}  // namespace ssm::kernels
