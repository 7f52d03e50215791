// Heads rounded to whole numbers of -127 to 127 times a scale of their own.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// `x` has `rows` rows `stride` apart, each of `heads` heads of d_head columns side by side; codes
/// [rows, heads, d_head]; scales [rows, heads].
struct Int8Shape {
  int64_t rows = 0, stride = 0, heads = 0, d_head = 0;

  int64_t width() const { return heads * d_head; }
};

/// The largest code: -128 is left out, so that codes are as many on either side of 0.
inline constexpr int64_t kInt8Most = 127;

/// s = max |x| / 127 over each head; 1 where that is no normal number, as for a head of zeros.
template <class T>
void HeadScales(const Int8Shape& shape, const T* x, T* scales);

/// rounding = round(x / s) - x / s, ties to even.
template <class T>
void HeadRounding(const Int8Shape& shape, const T* x, const T* scales, T* rounding);

/// codes = x / s + rounding. Of what HeadRounding gives these are whole numbers, exactly and never
/// -0: both steps are exact up to 127. `codes` may be `rounding`.
template <class T>
void HeadCodes(const Int8Shape& shape, const T* x, const T* scales, const T* rounding, T* codes);
/// g_x += g_codes / s.
template <class T>
void HeadCodesBackward(const Int8Shape& shape, const T* scales, const T* g_codes, T* g_x);

/// x = codes s.
template <class T>
void HeadValues(const Int8Shape& shape, const T* codes, const T* scales, T* x);
/// g_codes += g_x s.
template <class T>
void HeadValuesBackward(const Int8Shape& shape, const T* scales, const T* g_x, T* g_codes);

}  // namespace ssm::kernels
