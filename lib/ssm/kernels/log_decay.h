// Decays of memories that choose how fast they forget, as logarithms.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// Rows of `heads` numbers, one for each token.
struct LogDecayShape {
  int64_t tokens = 0, heads = 0;
  double dt_scale = 1;
};

/// g = -e^rate log(1 + e^x) dt dt_scale <= 0, the logarithm of what is left of a memory after a
/// token of length dt (Gu and Dao 2023; Yang et al. 2025). x and g [tokens, heads], rate [heads],
/// dt [tokens] or null (1); scratch `heads` elements.
template <class T>
void LogDecay(const LogDecayShape& shape, const T* x, const T* rate, const T* dt, T* g, T* scratch);

/// Adds to gx, grate and gdt (null: unwanted).
template <class T>
void LogDecayBackward(const LogDecayShape& shape, const T* x, const T* rate, const T* dt,
                      const T* gg, T* gx, T* grate, T* gdt, T* scratch);

}  // namespace ssm::kernels
