// Every token mixed with the one before it.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// Arrays are [rows, steps, width].
struct TokenShiftShape {
  int64_t rows = 0, steps = 0, width = 0;
  const int64_t* pos = nullptr;  // [rows, steps]: 0 starts a sequence, -1 is padding
};

/// y_t = mix x_t + (1 - mix) x_{t-1}, mix [width] (RWKV, Peng et al. 2023). Before a sequence's
/// first token there is 0; `tail` [rows, width] is the token before the first of these, null: 0.
/// Padding gives 0. Cost 4 FLOPs an element, bound by memory.
template <class T>
void TokenShift(const TokenShiftShape& shape, const T* mix, const T* tail, const T* x, T* y);

/// Adds to gx, gmix and gtail; each may be null. scratch: `width` elements.
template <class T>
void TokenShiftBackward(const TokenShiftShape& shape, const T* mix, const T* tail, const T* x,
                        const T* gy, T* gx, T* gmix, T* gtail, T* scratch);

}  // namespace ssm::kernels
