#include "ssm/config/field_words.h"

#include <doctest/doctest.h>

#include <limits>

namespace ssm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST_CASE("whole numbers, however they are written") {
  CHECK(WholeNumber("64") == 64);
  CHECK(WholeNumber("1e3") == 1000);
  CHECK(WholeNumber("64.0") == 64);
  CHECK(WholeNumber("-1.5e1") == -15);
  CHECK(WholeNumber("0.0005e4") == 5);
  CHECK(WholeNumber("0e999") == 0);
  CHECK(WholeNumber("-0") == 0);
  CHECK(WholeNumber("100e-2") == 1);
  CHECK(WholeNumber("9007199254740993") == 9007199254740993);
  CHECK(WholeNumber("9223372036854775807") == std::numeric_limits<int64_t>::max());
  CHECK(WholeNumber("-9223372036854775808") == std::numeric_limits<int64_t>::min());
  CHECK(WholeNumber("9.223372036854775807e18") == std::numeric_limits<int64_t>::max());
}

TEST_CASE("numbers that are not whole or do not fit") {
  for (const char* text : {"3.7", "1e-1", "9223372036854775808", "-9223372036854775809", "1e19",
                           "1e999999999999", "1e-999999999999", "0.30000000000000000001"}) {
    CHECK_MESSAGE(!WholeNumber(text), text);
  }
  CHECK(IsWhole("1e19"));
  CHECK(IsWhole("9223372036854775808"));
  CHECK(!IsWhole("3.7"));
}

TEST_CASE("ranges in words") {
  CHECK(IntWords({}) == "an integer");
  CHECK(IntWords({1}) == "an integer >= 1");
  CHECK(IntWords({.max = 9}) == "an integer <= 9");
  CHECK(IntWords({1, 64}) == "an integer from 1 to 64");
  CHECK(IntWords({1, 1}) == "an integer equal to 1");
  CHECK(RealWords({}) == "a number");
  CHECK(RealWords(Positive()) == "a number > 0");
  CHECK(RealWords(NonNegative()) == "a number >= 0");
  CHECK(RealWords(Fraction()) == "a number from 0 to 1");
  CHECK(RealWords({.min = 0, .max = 1, .open_max = true}) == "a number in [0, 1)");
  CHECK(RealWords({.max = 1e-8, .open_max = true}) == "a number < 1e-8");
  CHECK(RealWords({.min = 0, .infinite = true}) == "a number >= 0 or \"inf\"");
  CHECK(RealWords({.infinite = true}) == "a number or \"inf\" or \"-inf\"");
  CHECK(IntsWords({1, 9}) == "integers from 1 to 9");
  CHECK(RealsWords(Positive()) == "numbers > 0");
}

TEST_CASE("ranges contain their closed ends only") {
  const RealRange half{.min = 0, .max = 1, .open_max = true};
  CHECK(Contains(half, 0));
  CHECK(Contains(half, 0.999));
  CHECK(!Contains(half, 1));
  CHECK(!Contains(Positive(), 0));
  CHECK(!Contains(RealRange{}, std::numeric_limits<double>::quiet_NaN()));
  CHECK(!Contains(RealRange{}, kInfinity));
  CHECK(Contains(RealRange{.infinite = true}, -kInfinity));
  CHECK(!Contains(RealRange{.min = 0, .infinite = true}, -kInfinity));
  CHECK(Contains(IntRange{1, 2}, 2));
  CHECK(!Contains(IntRange{1, 2}, 3));
}

}  // namespace
}  // namespace ssm
