// The linear recurrence h[t] = A[t] h[t-1] + b[t] of independent channels.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// Arrays are [rows, steps, channels], or [..., channels, 2] where numbers are complex.
struct DiagonalScanShape {
  int64_t rows = 0, steps = 0, channels = 0;
  bool complex = false;
  bool fixed = false;            // a is [channels], the same at every token
  bool minus_one = false;        // a is A - 1, which keeps the digits of slow decays; else A
  const int64_t* pos = nullptr;  // [rows, steps]: 0 starts a sequence, -1 is padding

  /// Scalars in one token.
  int64_t width() const { return complex ? 2 * channels : channels; }
};

/// Writes h. h0 [rows, channels] is the state before the first token, null: zero. Where pos is 0
/// the state before is zero; where it is -1 the state passes unchanged. Cost 2 (complex 8) FLOPs a
/// token and channel, bound by memory.
template <class T>
void DiagonalScan(const DiagonalScanShape& shape, const T* a, const T* b, const T* h0, T* h);

/// Adds to ga, gb and gh0 (null: unwanted), given h, dL/dh (null: zero) and dL/d(state after the
/// last token) (null: zero). scratch: 2 * shape.width() elements.
template <class T>
void DiagonalScanBackward(const DiagonalScanShape& shape, const T* a, const T* h0, const T* h,
                          const T* gh, const T* glast, T* ga, T* gb, T* gh0, T* scratch);

}  // namespace ssm::kernels
