// Sixteen-bit floats to thirty-two, which is exact, and back.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace ssm {

/// IEEE 754 binary16.
inline float HalfToFloat(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1Fu;
  const uint32_t fraction = half & 0x3FFu;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000u | (fraction << 13));
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

/// To nearest, ties to even; beyond the largest half infinity. What came from a half goes back to
/// its bits.
inline uint16_t FloatToHalf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const float magnitude = std::fabs(value);
  if (!(magnitude < 65520.0f)) {  // infinite, too large, or NaN, which keeps its upper bits
    const uint32_t fraction = std::isnan(value) ? ((bits >> 13) & 0x3FFu) : 0;
    const bool quiet = std::isnan(value) && fraction == 0;
    return static_cast<uint16_t>(sign | 0x7C00u | fraction | (quiet ? 0x200u : 0));
  }
  if (magnitude < 0x1p-14f) {  // subnormal: a whole number of 2^-24, rounded by the addition
    const float shifted = magnitude + 0x1p-1f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3F000000u));
  }
  const uint32_t rounded = (bits & 0x7FFFFFFFu) + 0xFFFu + ((bits >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((rounded >> 13) - (112u << 10)));
}

/// The upper half of a float.
inline float BFloat16ToFloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

/// To nearest, ties to even.
inline uint16_t FloatToBFloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return static_cast<uint16_t>((bits >> 16) | ((bits & 0x7F0000u) ? 0 : 0x40u));
  return static_cast<uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace ssm
