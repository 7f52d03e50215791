#include "ssm/autograd/ops/observe.h"

#include <doctest/doctest.h>

#include <cmath>

namespace ssm {
namespace {

TEST_CASE("norms of value and gradient are summed over rows, without padding") {
  // Row 0: values 3, 4; row 1: 1, 1 and padding.
  const double x[8] = {3, 4, 3, 4, 1, 1, 100, 100}, seed[8] = {1, 1, 1, 1, 2, 2, 0, 0};
  double value = 10, gradient = 20;
  IntArray lengths(Shape{2});
  lengths[0] = 2;
  lengths[1] = 1;
  const std::vector<int64_t> fresh{0, 0};
  Tape<double> tape(Mode::kTrain);
  const Clock clock = MakeClock(tape, fresh, 2, nullptr, &lengths);
  const Var<double> in = tape.Watch({2, 2, 2}, x);
  const Var<double> y = Observe(tape, in, clock, &value, &gradient);
  CHECK(std::equal(x, x + 8, tape.value(y)));
  tape.Seed(y, seed);
  tape.Backward();
  CHECK(value == doctest::Approx(10 + std::sqrt(12.5) + 1).epsilon(1e-14));
  CHECK(gradient == doctest::Approx(20 + 1 + 2).epsilon(1e-14));
  CHECK(std::equal(seed, seed + 8, tape.grad(in)));
}

}  // namespace
}  // namespace ssm
