#include "ssm/kernels/diagonal_scan.h"

#include <algorithm>

namespace ssm::kernels {
namespace {

/// to = A from + b for `channels` numbers, a = A or A - 1; `from` null is zero.
template <class T, bool kComplex, bool kMinusOne>
void Advance(int64_t channels, const T* a, const T* from, const T* b, T* to) {
  if (from == nullptr) {
    std::copy_n(b, kComplex ? 2 * channels : channels, to);
    return;
  }
#pragma omp simd
  for (int64_t c = 0; c < channels; ++c) {
    if constexpr (kComplex) {
      const T re = from[2 * c], im = from[2 * c + 1];
      const T kept_re = kMinusOne ? re + b[2 * c] : b[2 * c];
      const T kept_im = kMinusOne ? im + b[2 * c + 1] : b[2 * c + 1];
      to[2 * c] = a[2 * c] * re - a[2 * c + 1] * im + kept_re;
      to[2 * c + 1] = a[2 * c] * im + a[2 * c + 1] * re + kept_im;
    } else {
      to[c] = a[c] * from[c] + (kMinusOne ? from[c] + b[c] : b[c]);
    }
  }
}

/// ga += lambda conj(before).
template <class T, bool kComplex>
void AddCoefficientGradient(int64_t channels, const T* lambda, const T* before, T* ga) {
#pragma omp simd
  for (int64_t c = 0; c < channels; ++c) {
    if constexpr (kComplex) {
      const T re = before[2 * c], im = before[2 * c + 1];
      ga[2 * c] += lambda[2 * c] * re + lambda[2 * c + 1] * im;
      ga[2 * c + 1] += lambda[2 * c + 1] * re - lambda[2 * c] * im;
    } else {
      ga[c] += lambda[c] * before[c];
    }
  }
}

/// lambda = conj(A) lambda.
template <class T, bool kComplex, bool kMinusOne>
void Retreat(int64_t channels, const T* a, T* lambda) {
#pragma omp simd
  for (int64_t c = 0; c < channels; ++c) {
    if constexpr (kComplex) {
      const T re = lambda[2 * c], im = lambda[2 * c + 1];
      const T change_re = a[2 * c] * re + a[2 * c + 1] * im;
      const T change_im = a[2 * c] * im - a[2 * c + 1] * re;
      lambda[2 * c] = kMinusOne ? re + change_re : change_re;
      lambda[2 * c + 1] = kMinusOne ? im + change_im : change_im;
    } else {
      lambda[c] = kMinusOne ? lambda[c] + lambda[c] * a[c] : lambda[c] * a[c];
    }
  }
}

template <class T>
void AddTo(int64_t n, const T* from, T* to) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) to[i] += from[i];
}

template <class T>
const T* RowOrNull(const T* array, int64_t row, int64_t width) {
  return array == nullptr ? nullptr : array + row * width;
}

template <class T, bool kComplex, bool kMinusOne>
void ForwardRow(const DiagonalScanShape& shape, int64_t row, const T* a, const T* b, const T* h0,
                T* h) {
  const int64_t width = shape.width();
  const T* before = RowOrNull(h0, row, width);
  for (int64_t i = row * shape.steps; i < (row + 1) * shape.steps; ++i) {
    T* now = h + i * width;
    if (shape.pos[i] < 0) {
      if (before == nullptr) std::fill_n(now, width, T{0});
      if (before != nullptr) std::copy_n(before, width, now);
    } else {
      const T* coefficients = shape.fixed ? a : a + i * width;
      Advance<T, kComplex, kMinusOne>(shape.channels, coefficients,
                                      shape.pos[i] == 0 ? nullptr : before, b + i * width, now);
    }
    before = now;
  }
}

template <class T, bool kComplex, bool kMinusOne>
void BackwardRow(const DiagonalScanShape& shape, int64_t row, const T* a, const T* h0, const T* h,
                 const T* gh, const T* glast, T* ga, T* gb, T* gh0, T* scratch) {
  const int64_t width = shape.width(), first = row * shape.steps;
  T* lambda = scratch;
  T* fixed_ga = scratch + width;  // this row's part, so that sums stay short
  std::fill_n(scratch, 2 * width, T{0});
  if (glast != nullptr) std::copy_n(glast + row * width, width, lambda);
  for (int64_t i = first + shape.steps - 1; i >= first; --i) {
    if (gh != nullptr) AddTo(width, gh + i * width, lambda);
    if (shape.pos[i] < 0) continue;
    if (gb != nullptr) AddTo(width, lambda, gb + i * width);
    if (shape.pos[i] == 0) {
      std::fill_n(lambda, width, T{0});
      continue;
    }
    const T* before = i == first ? RowOrNull(h0, row, width) : h + (i - 1) * width;
    if (ga != nullptr && before != nullptr) {
      AddCoefficientGradient<T, kComplex>(shape.channels, lambda, before,
                                          shape.fixed ? fixed_ga : ga + i * width);
    }
    Retreat<T, kComplex, kMinusOne>(shape.channels, shape.fixed ? a : a + i * width, lambda);
  }
  if (gh0 != nullptr) AddTo(width, lambda, gh0 + row * width);
  if (shape.fixed && ga != nullptr) AddTo(width, fixed_ga, ga);
}

}  // namespace

template <class T>
void DiagonalScan(const DiagonalScanShape& shape, const T* a, const T* b, const T* h0, T* h) {
  const auto run = shape.minus_one
                       ? (shape.complex ? ForwardRow<T, true, true> : ForwardRow<T, false, true>)
                       : (shape.complex ? ForwardRow<T, true, false> : ForwardRow<T, false, false>);
  for (int64_t row = 0; row < shape.rows; ++row) run(shape, row, a, b, h0, h);
}

template <class T>
void DiagonalScanBackward(const DiagonalScanShape& shape, const T* a, const T* h0, const T* h,
                          const T* gh, const T* glast, T* ga, T* gb, T* gh0, T* scratch) {
  const auto run =
      shape.minus_one
          ? (shape.complex ? BackwardRow<T, true, true> : BackwardRow<T, false, true>)
          : (shape.complex ? BackwardRow<T, true, false> : BackwardRow<T, false, false>);
  for (int64_t row = 0; row < shape.rows; ++row) {
    run(shape, row, a, h0, h, gh, glast, ga, gb, gh0, scratch);
  }
}

#define SSM_INSTANTIATE(T)                                                                   \
  template void DiagonalScan(const DiagonalScanShape&, const T*, const T*, const T*, T*);    \
  template void DiagonalScanBackward(const DiagonalScanShape&, const T*, const T*, const T*, \
                                     const T*, const T*, T*, T*, T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
