#include "ssm/io/half.h"

#include <doctest/doctest.h>

#include <cmath>

namespace ssm {
namespace {

TEST_CASE("binary16 to float, every one of the 65536") {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const int sign = (bits >> 15) != 0 ? -1 : 1;
    const int exponent = static_cast<int>((bits >> 10) & 31);
    const int fraction = static_cast<int>(bits & 1023);
    const float value = HalfToFloat(static_cast<uint16_t>(bits));
    if (exponent == 31) {
      CHECK((fraction == 0 ? std::isinf(value) : std::isnan(value)));
      CHECK(std::signbit(value) == (sign < 0));
      continue;
    }
    const double expected =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    CHECK(static_cast<double>(value) == sign * expected);
    CHECK(std::signbit(value) == (sign < 0));
  }
}

TEST_CASE("every half goes back to its bits") {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    if (((bits >> 10) & 31) != 31 || (bits & 1023) == 0)
      CHECK(FloatToHalf(HalfToFloat(half)) == half);
    if (((bits >> 7) & 255) != 255 || (bits & 127) == 0) {
      CHECK(FloatToBFloat16(BFloat16ToFloat(half)) == half);
    }
  }
  CHECK(std::isnan(HalfToFloat(FloatToHalf(std::nanf("")))));
  CHECK(std::isnan(BFloat16ToFloat(FloatToBFloat16(std::nanf("")))));
}

TEST_CASE("floats between two halves go to the nearer one, ties to the even one") {
  for (uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const float low = HalfToFloat(static_cast<uint16_t>(bits));
    const float high = HalfToFloat(static_cast<uint16_t>(bits + 1));
    const float middle = (low + high) / 2;
    CHECK(FloatToHalf(middle) == bits + (bits & 1));
    CHECK(FloatToHalf(std::nextafter(middle, low)) == bits);
    CHECK(FloatToHalf(-std::nextafter(middle, high)) == ((bits + 1) | 0x8000));
  }
  CHECK(FloatToHalf(65519.0f) == 0x7BFF);
  CHECK(FloatToHalf(65520.0f) == 0x7C00);
  CHECK(FloatToHalf(-1e30f) == 0xFC00);
  CHECK(FloatToBFloat16(1.0f + 0x1p-8f) == 0x3F80);
  CHECK(FloatToBFloat16(1.0f + 0x1p-8f + 0x1p-20f) == 0x3F81);
  CHECK(FloatToBFloat16(1.0f + 3 * 0x1p-8f) == 0x3F82);
}

TEST_CASE("bfloat16 is the upper half of a float") {
  CHECK(BFloat16ToFloat(0x3F80) == 1.0f);
  CHECK(BFloat16ToFloat(0xC049) == -3.140625f);
  CHECK(BFloat16ToFloat(0x0001) == std::ldexp(1.0f, -133));
  CHECK(std::isinf(BFloat16ToFloat(0x7F80)));
  CHECK(std::isnan(BFloat16ToFloat(0x7FC0)));
}

}  // namespace
}  // namespace ssm
