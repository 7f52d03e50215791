// Systems whose matrix is diagonal plus one product of vectors, one for each channel.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// x[t] = a x[t-1] - v phi(x[t-1]) + b u[t] with phi(x) = 2 Re sum_n f_n x_n, a real number, and
/// y[t] = 2 Re sum_n c_n x_n[t] + skip u[t]. x holds one of each conjugate pair. Arrays are
/// [channels, modes, 2].
template <class T>
struct DplrSystem {
  int64_t channels = 0, modes = 0;
  const T* a_minus_1 = nullptr;  // a - 1
  const T* v = nullptr;
  const T* f = nullptr;
  const T* b = nullptr;
  const T* c = nullptr;     // null: no output
  const T* skip = nullptr;  // [channels], or null: none
};

/// Gradients, added to; null where unwanted.
template <class T>
struct DplrGradients {
  T* a_minus_1 = nullptr;
  T* v = nullptr;
  T* f = nullptr;
  T* b = nullptr;
  T* c = nullptr;
  T* skip = nullptr;
};

}  // namespace ssm::kernels
