// One step of arrays [rows, steps, width] as arrays [rows, width].
#pragma once

#include <algorithm>
#include <cstdint>

#include "ssm/kernels/rows.h"

namespace ssm::kernels {

/// to [rows, width] = step `step` of from [rows, steps, width].
template <class T>
void GatherSlice(int64_t rows, int64_t steps, int64_t step, int64_t width, const T* from, T* to) {
  for (int64_t row = 0; row < rows; ++row) {
    std::copy_n(from + (row * steps + step) * width, width, to + row * width);
  }
}

/// The other way round.
template <class T>
void ScatterSlice(int64_t rows, int64_t steps, int64_t step, int64_t width, const T* from, T* to) {
  for (int64_t row = 0; row < rows; ++row) {
    std::copy_n(from + row * width, width, to + (row * steps + step) * width);
  }
}

/// to [rows, width] += step `step` of from.
template <class T>
void AddFromSlice(int64_t rows, int64_t steps, int64_t step, int64_t width, const T* from, T* to) {
  for (int64_t row = 0; row < rows; ++row) {
    Axpy(width, T{1}, from + (row * steps + step) * width, to + row * width);
  }
}

/// Step `step` of `to` += from [rows, width].
template <class T>
void AddToSlice(int64_t rows, int64_t steps, int64_t step, int64_t width, const T* from, T* to) {
  for (int64_t row = 0; row < rows; ++row) {
    Axpy(width, T{1}, from + row * width, to + (row * steps + step) * width);
  }
}

}  // namespace ssm::kernels
