// Doubles in a tape's arena, whatever its scalar is, and parts of values in them.
#pragma once

#include <cstdint>

#include "ssm/autograd/tape.h"

namespace ssm::internal {

/// Scratch of n doubles; null in kPlan.
template <Scalar T>
double* Doubles(Tape<T>& tape, int64_t n) {
  static_assert(sizeof(double) % sizeof(T) == 0);
  constexpr auto kEach = static_cast<int64_t>(sizeof(double) / sizeof(T));
  return reinterpret_cast<double*>(tape.Floats(n * kEach));
}

/// Part `part` of parts of `size` each, in double; zeros where `from` is null.
template <Scalar T>
void LoadDoubles(const T* from, int64_t part, int64_t size, double* to) {
  for (int64_t i = 0; i < size; ++i) {
    to[i] = from == nullptr ? 0 : static_cast<double>(from[part * size + i]);
  }
}

/// The way back.
template <Scalar T>
void StoreDoubles(const double* from, int64_t part, int64_t size, T* to) {
  for (int64_t i = 0; i < size; ++i) to[part * size + i] = static_cast<T>(from[i]);
}

/// Adds to part `part` of a gradient; to null, nothing.
template <Scalar T>
void AddDoubles(const double* from, int64_t part, int64_t size, T* to) {
  if (to == nullptr) return;
  for (int64_t i = 0; i < size; ++i) to[part * size + i] += static_cast<T>(from[i]);
}

}  // namespace ssm::internal
