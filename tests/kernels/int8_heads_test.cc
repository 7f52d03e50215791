#include "ssm/kernels/int8_heads.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "ssm/kernels/attention.h"
#include "ssm/kernels/rotary.h"
#include "support/numbers.h"

namespace ssm::kernels {
namespace {

using test::Numbers;

template <class T>
struct Rounded {
  std::vector<T> codes, scales, values;
};

/// One row of heads.
template <class T>
Rounded<T> RoundRow(const std::vector<T>& x, int64_t heads) {
  const auto width = std::ssize(x);
  const Int8Shape shape{1, width, heads, width / heads};
  Rounded<T> out{std::vector<T>(x.size()), std::vector<T>(static_cast<size_t>(heads)),
                 std::vector<T>(x.size())};
  HeadScales(shape, x.data(), out.scales.data());
  HeadRounding(shape, x.data(), out.scales.data(), out.codes.data());
  HeadCodes(shape, x.data(), out.scales.data(), out.codes.data(), out.codes.data());
  HeadValues(shape, out.codes.data(), out.scales.data(), out.values.data());
  return out;
}

TEST_CASE_TEMPLATE("codes of a hand-made head, ties to even", T, float, double) {
  const Rounded<T> one = RoundRow<T>({1, T(-0.5), T(0.25), 0}, 1);
  CHECK(one.scales == std::vector<T>{1 / T{127}});
  CHECK(one.codes == std::vector<T>{127, -64, 32, 0});
  // A scale of 1: halves are exact.
  const Rounded<T> ties =
      RoundRow<T>({T(62.5), T(63.5), T(-0.5), T(0.5), T(1.5), T(-2.5), -127, T(-126.5)}, 1);
  CHECK(ties.codes == std::vector<T>{62, 64, 0, 0, 2, -2, -127, -126});
  CHECK(ties.values == ties.codes);
  CHECK_FALSE(std::signbit(ties.codes[2]));
}

TEST_CASE_TEMPLATE("each head has a scale, 1 where it holds no normal number", T, float, double) {
  const T tiny = std::numeric_limits<T>::denorm_min();
  const Rounded<T> out = RoundRow<T>({0, T(-0.0), -254, 127, 190 * tiny, tiny}, 3);
  CHECK(out.scales == std::vector<T>{1, 2, 1});
  CHECK(out.codes == std::vector<T>{0, 0, -127, 64, 0, 0});
  CHECK(out.values == std::vector<T>{0, 0, -254, 128, 0, 0});
  CHECK_FALSE(std::signbit(out.codes[1]));
}

TEST_CASE_TEMPLATE("codes are whole, none beyond 127, and values within half a scale", T, float,
                   double) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::vector<T> x = Numbers<T>(21, seed);
    const T size = std::exp2(static_cast<T>(static_cast<int>(seed) - 100));
    for (T& value : x) value *= size;
    const Rounded<T> out = RoundRow<T>(x, 3);
    for (size_t i = 0; i < x.size(); ++i) {
      const T scale = out.scales[i / 7];
      CHECK(out.codes[i] == std::nearbyint(out.codes[i]));
      CHECK(std::abs(out.codes[i]) <= 127);
      CHECK(std::abs(out.values[i] - x[i]) <= scale * T(0.50001));
    }
  }
}

TEST_CASE_TEMPLATE("NaN and infinity do not vanish", T, float, double) {
  const T infinity = std::numeric_limits<T>::infinity();
  CHECK(std::isnan(RoundRow<T>({1, std::numeric_limits<T>::quiet_NaN()}, 1).values[1]));
  CHECK(std::isnan(RoundRow<T>({1, infinity}, 1).values[1]));
}

TEST_CASE_TEMPLATE("a token reads scaled codes as the numbers they stand for", T, float, double) {
  for (const int64_t d_head : {1, 4, 5, 8, 16}) {
    CAPTURE(d_head);
    constexpr int64_t kHeads = 3, kKeys = 150;
    const int64_t width = kHeads * d_head;
    const std::vector<T> qkv = Numbers<T>(3 * width, 1);
    const std::vector<T> x = Numbers<T>(2 * kKeys * width, 2);
    const Int8Shape shape{2 * kKeys, width, kHeads, d_head};
    std::vector<T> scales(2 * kKeys * kHeads), codes(x.size()), values(x.size());
    HeadScales(shape, x.data(), scales.data());
    HeadRounding(shape, x.data(), scales.data(), codes.data());
    HeadCodes(shape, x.data(), scales.data(), codes.data(), codes.data());
    HeadValues(shape, codes.data(), scales.data(), values.data());
    std::vector<T> slopes = {T(0.5), T(0.25), T(0.125)};
    for (const bool biased : {false, true}) {
      DistanceBias<T> bias;
      if (biased) bias.slopes = slopes.data();
      std::vector<T> y(static_cast<size_t>(width)), plain(y);
      const KeyRun<T> scaled[] = {{kKeys, codes.data(), codes.data() + kKeys * width, kKeys, 1,
                                   scales.data(), scales.data() + kKeys * kHeads}};
      const KeyRun<T> read[] = {{kKeys, values.data(), values.data() + kKeys * width, kKeys, 1}};
      AttendToken<T>(kHeads, d_head, bias, qkv.data(), scaled, y.data());
      AttendToken<T>(kHeads, d_head, bias, qkv.data(), read, plain.data());
      for (size_t i = 0; i < y.size(); ++i) {
        CHECK(std::abs(y[i] - plain[i]) <= 20 * std::numeric_limits<T>::epsilon());
      }
    }
  }
}

TEST_CASE_TEMPLATE("a row turned in place has the bits it has among many", T, float, double) {
  for (const int64_t d_head : {2, 6, 16, 34}) {
    constexpr int64_t kSteps = 9, kHeads = 2;
    const int64_t width = 3 * d_head + 1;
    const std::vector<T> x = Numbers<T>(kSteps * width, 3);
    std::vector<T> all(x.size()), table(static_cast<size_t>(kSteps * d_head));
    const int64_t pos[kSteps] = {5, 6, 7, 0, 1, 2, -1, -1, 1000000};
    RotaryTable(kSteps, d_head, pos, 10000, table.data());
    Rotate({kSteps, width, kHeads, d_head}, table.data(), x.data(), all.data());
    for (int64_t t = 0; t < kSteps; ++t) {
      std::vector<T> row(x.begin() + t * width, x.begin() + (t + 1) * width);
      std::vector<T> turn(static_cast<size_t>(d_head));
      RotaryTable(1, d_head, pos + t, 10000, turn.data());
      Rotate({1, width, kHeads, d_head}, turn.data(), row.data(), row.data());
      CHECK(std::equal(row.begin(), row.end(), all.begin() + t * width));
    }
  }
}

}  // namespace
}  // namespace ssm::kernels
