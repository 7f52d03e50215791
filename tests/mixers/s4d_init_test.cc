#include "ssm/mixers/s4d_init.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

namespace ssm {
namespace {

/// Two channels' worth of initial values.
std::vector<double> Values(const Init& init, int64_t modes) {
  std::vector<double> values(static_cast<size_t>(2 * modes));
  Random random(1, RandomStream::kInit, 0);
  init(values, random);
  return values;
}

S4dOptions Options(S4dInit init, int64_t d_state) {
  S4dOptions options;
  options.init = init;
  options.d_state = d_state;
  return options;
}

TEST_CASE("S4D-Lin: -1/2 + i pi n in every channel") {
  const S4dOptions options = Options(S4dInit::kLin, 6);
  const std::vector<double> decay = Values(PoleDecayInit(options), 3);
  const std::vector<double> frequency = Values(PoleFrequencyInit(options), 3);
  for (size_t i = 0; i < 6; ++i) {
    CHECK(-std::exp(decay[i]) == doctest::Approx(-0.5));
    CHECK(frequency[i] == doctest::Approx(std::numbers::pi * static_cast<double>(i % 3)));
  }
}

TEST_CASE("S4D-Inv: the published frequencies of N = 64") {
  const std::vector<double> frequency = Values(PoleFrequencyInit(Options(S4dInit::kInv, 64)), 32);
  CHECK(frequency[0] == doctest::Approx(1283.4).epsilon(1e-4));
  CHECK(frequency[1] == doctest::Approx(414.2).epsilon(1e-3));
  CHECK(frequency[2] == doctest::Approx(240.4).epsilon(1e-3));
  CHECK(frequency[3] == doctest::Approx(165.9).epsilon(1e-3));
  CHECK(frequency[32] == frequency[0]);
}

TEST_CASE("S4D-LegS: the eigenvalues of HiPPO's normal part") {
  const std::vector<double> frequency = Values(PoleFrequencyInit(Options(S4dInit::kLegs, 4)), 2);
  CHECK(frequency[0] == doctest::Approx(0.5565011151).epsilon(1e-9));
  CHECK(frequency[1] == doctest::Approx(4.6032930071).epsilon(1e-9));
}

TEST_CASE("S4D-Quad and S4D-FouT: (2n + 1)^2 / pi and 2 pi n") {
  const std::vector<double> quad = Values(PoleFrequencyInit(Options(S4dInit::kQuad, 6)), 3);
  const std::vector<double> fout = Values(PoleFrequencyInit(Options(S4dInit::kFoutd, 6)), 3);
  for (size_t i = 0; i < 6; ++i) {
    const double n = static_cast<double>(i % 3);
    CHECK(quad[i] * std::numbers::pi == doctest::Approx((2 * n + 1) * (2 * n + 1)));
    CHECK(fout[i] / std::numbers::pi == doctest::Approx(2 * n));
  }
}

TEST_CASE("S4D-Rand: log-normal frequencies, other ones in every channel") {
  const std::vector<double> drawn = Values(PoleFrequencyInit(Options(S4dInit::kRand, 4000)), 2000);
  double mean = 0, square = 0;
  for (const double frequency : drawn) {
    mean += std::log(frequency) / 4000;
    square += std::log(frequency) * std::log(frequency) / 4000;
  }
  CHECK(std::abs(mean) < 4 / std::sqrt(4000.0));
  CHECK(std::abs(square - 1) < 4 * std::sqrt(2.0 / 4000));
  CHECK(drawn[0] != drawn[2000]);
}

TEST_CASE("S4D-Real: -(n + 1)") {
  const std::vector<double> decay = Values(PoleDecayInit(Options(S4dInit::kReal, 3)), 3);
  for (size_t i = 0; i < 6; ++i) {
    CHECK(-std::exp(decay[i]) == doctest::Approx(-static_cast<double>(i % 3 + 1)));
  }
}

}  // namespace
}  // namespace ssm
