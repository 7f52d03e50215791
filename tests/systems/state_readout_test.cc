#include "ssm/systems/state_readout.h"

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

TEST_CASE("what states hold is read, what they do not hold is not") {
  const Matrix targets = Normal(6000, 2, 1);
  Matrix states(6000, 3);  // x_0 in two mixtures of very unlike sizes, and nothing
  for (int64_t i = 0; i < states.rows; ++i) {
    states(i, 0) = 1e6 * targets(i, 0);
    states(i, 1) = -1e-6 * targets(i, 0);
  }
  const ReadoutError error = HeldOutReadout(states, targets, 4000, 1e-4);
  CHECK(error.by_target[0] < 1e-15);
  CHECK(error.by_target[1] == doctest::Approx(1).epsilon(0.01));
  CHECK(error.total == doctest::Approx(0.5).epsilon(0.1));
}

TEST_CASE("noise shrinks the read-out of one state to 1 / (1 + noise^2)") {
  const Matrix targets = Normal(4000, 1, 2);
  for (const double noise : {0.1, 0.5, 2.0}) {
    CAPTURE(noise);
    // What is left out is noise^2 / (1 + noise^2) of it.
    const double lost = noise * noise / (1 + noise * noise);
    CHECK(HeldOutReadout(targets, targets, 2000, noise).total ==
          doctest::Approx(lost * lost).epsilon(1e-9));
  }
}

TEST_CASE("a read-out that was learned by heart scores no better than nothing") {
  const Matrix states = Normal(130, 100, 3), targets = Normal(130, 1, 4);
  CHECK(HeldOutReadout(states, targets, 105, 1e-4).total > 1);
}

}  // namespace
}  // namespace ssm
