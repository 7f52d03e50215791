#include "ssm/systems/linear_readout.h"

#include <doctest/doctest.h>

#include "ssm/base/random.h"

namespace ssm {
namespace {

Matrix Normal(int64_t rows, int64_t cols, uint64_t seed) {
  Random random(seed, RandomStream::kTest, 0);
  Matrix matrix(rows, cols);
  for (double& value : matrix.values) value = random.Normal();
  return matrix;
}

TEST_CASE("an affine map is found, of states of any size and offset") {
  Matrix states = Normal(50, 3, 1), targets(50, 2);
  for (int64_t i = 0; i < 50; ++i) {
    states(i, 1) = 1e6 * states(i, 1) + 3e6;
    states(i, 2) = 7;  // does not vary
    targets(i, 0) = 2 * states(i, 0) - 1e-6 * states(i, 1) + 5;
    targets(i, 1) = -1;
  }
  const std::vector<double> noises = {1e-6};
  const Matrix said = Predict(FitReadouts(states, targets, noises)[0], states);
  for (int64_t i = 0; i < 50; ++i) {
    CHECK(said(i, 0) == doctest::Approx(targets(i, 0)).epsilon(1e-9));
    CHECK(said(i, 1) == doctest::Approx(-1).epsilon(1e-12));
  }
}

TEST_CASE("more states than samples: the same ridge by the other factor") {
  // Each state twice halves what the noise takes: the ridge of n states with noise s equals that of
  // their copies with noise sqrt(2) s.
  const Matrix states = Normal(10, 6, 2), targets = Normal(10, 1, 3);
  Matrix twice(10, 12);
  for (int64_t i = 0; i < 10; ++i) {
    for (int64_t j = 0; j < 12; ++j) twice(i, j) = states(i, j % 6);
  }
  const std::vector<double> narrow_noise = {0.5}, wide_noise = {0.5 * 1.4142135623730951};
  const Matrix narrow = Predict(FitReadouts(states, targets, narrow_noise)[0], states);
  const Matrix wide = Predict(FitReadouts(twice, targets, wide_noise)[0], twice);
  for (int64_t i = 0; i < 10; ++i)
    CHECK(wide(i, 0) == doctest::Approx(narrow(i, 0)).epsilon(1e-10));
}

TEST_CASE("noise shrinks one state's weight to 1 / (1 + noise^2)") {
  const Matrix states = Normal(20, 1, 4);
  const std::vector<double> noises = {0.5, 2};
  const auto readouts = FitReadouts(states, states, noises);
  CHECK(readouts[0].weights(0, 0) == doctest::Approx(0.8).epsilon(1e-12));
  CHECK(readouts[1].weights(0, 0) == doctest::Approx(0.2).epsilon(1e-12));
}

}  // namespace
}  // namespace ssm
