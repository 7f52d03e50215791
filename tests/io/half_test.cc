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

TEST_CASE("bfloat16 is the upper half of a float") {
  CHECK(BFloat16ToFloat(0x3F80) == 1.0f);
  CHECK(BFloat16ToFloat(0xC049) == -3.140625f);
  CHECK(BFloat16ToFloat(0x0001) == std::ldexp(1.0f, -133));
  CHECK(std::isinf(BFloat16ToFloat(0x7F80)));
  CHECK(std::isnan(BFloat16ToFloat(0x7FC0)));
}

}  // namespace
}  // namespace ssm
