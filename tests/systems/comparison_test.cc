#include "ssm/systems/comparison.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "random_systems.h"
#include "ssm/systems/frequency_response.h"

namespace ssm {
namespace {

using Complex = std::complex<double>;

TEST_CASE("the response at a frequency is the sum over the impulse response") {
  Random random(11, RandomStream::kLaw, 5);
  const Matrix A = testing::MatrixWithPoles(testing::RandomPoles(1, 2, 0.3, 0.9, random), random);
  const DiscreteSystem system{A, testing::RandomMatrix(4, 2, random),
                              testing::RandomMatrix(3, 4, random),
                              testing::RandomMatrix(3, 2, random)};
  const std::vector<Matrix> parameters = MarkovParameters(system, 600);
  const std::vector<double> omega{0, 0.3, 2, std::numbers::pi};
  const FrequencyResponse sequence = FrequencyResponseOf(system, omega);
  const FrequencyResponse control = FrequencyResponseOf(ToControl(system), omega);
  for (size_t f = 0; f < omega.size(); ++f) {
    for (int64_t i = 0; i < 3; ++i) {
      for (int64_t j = 0; j < 2; ++j) {
        Complex sum = 0;
        for (size_t k = 0; k < parameters.size(); ++k) {
          sum += parameters[k](i, j) * std::polar(1.0, -omega[f] * static_cast<double>(k));
        }
        CHECK(std::abs(sequence(f, i, j) - sum) < 1e-11);
        CHECK(std::abs(control(f, i, j) - sum) < 1e-11);
      }
    }
  }
}

TEST_CASE("a continuous low-pass of first order") {
  const ContinuousSystem system{{{-2}}, {{1}}, {{6}}, {{0.5}}};
  const FrequencyResponse response = FrequencyResponseOf(system, std::vector<double>{0, 2});
  CHECK(std::abs(response(0, 0, 0) - 3.5) < 1e-15);
  CHECK(std::abs(response(1, 0, 0) - Complex(2, -1.5)) < 1e-15);  // 0.5 + 6 / (2 + 2i)
  const std::vector<double> gains = Gains(response);
  CHECK(gains[1] == doctest::Approx(2.5).epsilon(1e-15));
}

TEST_CASE("Markov parameters of the two conventions") {
  const DiscreteSystem sequence{{{0.5}}, {{2}}, {{3}}, {{1}}};
  const std::vector<Matrix> k = MarkovParameters(sequence, 3);
  CHECK(k[0] == Matrix{{7}});  // C B + D
  CHECK(k[1] == Matrix{{3}});
  CHECK(k[2] == Matrix{{1.5}});
  const std::vector<Matrix> late = MarkovParameters(ControlSystem{{{0.5}}, {{2}}, {{3}}, {{1}}}, 3);
  CHECK(late[0] == Matrix{{1}});
  CHECK(late[1] == Matrix{{6}});
  CHECK(MarkovParameters(ToControl(sequence), 3) == k);
}

TEST_CASE("differences by hand") {
  const ControlSystem a{{{0.5}}, {{1}}, {{1}}, {{0}}}, b{{{0.25}}, {{2}}, {{0.5}}, {{0}}};
  const SystemComparison apart = Compare(a, b);
  CHECK(apart.markov == 0.25);  // 0.5 against 0.25 at k = 2, of the largest, 1
  CHECK(apart.poles.worst == 0.25);
  // 1/(z - 1/2) - 1/(z - 1/4) at z = 1 is 2 - 4/3, of the largest gain 2.
  CHECK(apart.frequency == doctest::Approx(1.0 / 3).epsilon(1e-14));
}

TEST_CASE("poles are paired at the least sum of distances") {
  // Nearest first would pair 0 with 0.1 and leave 0.12 with 1.
  const PoleDistance distance = DistanceOfPoles({0.0, 0.12}, {0.1, 1.0});
  CHECK(distance.mean == doctest::Approx((0.1 + 0.88) / 2));
  CHECK(distance.worst == doctest::Approx(0.88));
  CHECK(DistanceOfPoles({0.0, 0.3, 1.0}, {1.0, 0.25}).mean == doctest::Approx(0.025));
  CHECK(DistanceOfPoles({}, {0.5}).worst == 0);
}

TEST_CASE("the least sum is that of trying every order") {
  Random random(12, RandomStream::kLaw, 5);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<Complex> a, b;
    for (int i = 0; i < 5; ++i) a.emplace_back(random.Normal(), random.Normal());
    for (int i = 0; i < 6; ++i) b.emplace_back(random.Normal(), random.Normal());
    std::vector<size_t> order{0, 1, 2, 3, 4, 5};
    double least = 1e300;
    do {
      double sum = 0;
      for (size_t i = 0; i < 5; ++i) sum += std::abs(a[i] - b[order[i]]);
      least = std::min(least, sum);
    } while (std::next_permutation(order.begin(), order.end()));
    CHECK(DistanceOfPoles(a, b).mean == doctest::Approx(least / 5).epsilon(1e-13));
    CHECK(DistanceOfPoles(b, a).mean == doctest::Approx(least / 5).epsilon(1e-13));
  }
}

TEST_CASE("poles come by falling modulus, pairs together") {
  const std::vector<Complex> poles =
      PolesOf({{0.5, 0.5, 0, 0}, {-0.5, 0.5, 0, 0}, {0, 0, 0.9, 0}, {0, 0, 0, -0.1}});
  REQUIRE(poles.size() == 4);
  CHECK(std::abs(poles[0] - 0.9) < 1e-15);
  CHECK(std::abs(poles[1] - Complex(0.5, 0.5)) < 1e-15);
  CHECK(poles[2] == std::conj(poles[1]));
  CHECK(std::abs(poles[3] + 0.1) < 1e-15);
}

}  // namespace
}  // namespace ssm
