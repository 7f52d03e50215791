// Rotary positions (Su et al. 2021): pairs of channels turned by angles that grow with position.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// table [steps, d_head] = cosines, then sines, of pos base^(-2 i / d_head), i < d_head / 2. Angles
/// are computed in double, whatever T; padding (pos -1) counts as position 0. d_head is even.
template <class T>
void RotaryTable(int64_t steps, int64_t d_head, const int64_t* pos, double base, T* table);

/// Rows of `width` columns, of which the first `heads` times d_head are heads to turn.
struct RotaryShape {
  int64_t steps = 0, width = 0, heads = 0, d_head = 0;
};

/// In each head channel i makes a pair with channel i + d_head / 2; the columns behind the heads
/// are copied. In place is legal.
template <class T>
void Rotate(const RotaryShape& shape, const T* table, const T* x, T* y);
/// gx += what Rotate's transpose makes of gy.
template <class T>
void RotateBackward(const RotaryShape& shape, const T* table, const T* gy, T* gx);

}  // namespace ssm::kernels
