#include "ssm/autograd/ops/tap.h"

#include <doctest/doctest.h>

#include <vector>

#include "ssm/autograd/ops/pointwise.h"

namespace ssm {
namespace {

TEST_CASE("a tap copies the value on its way and the gradient on its way back") {
  const std::vector<double> x = {1, -2, 3};
  const std::vector<double> seed = {0.5, 1, -1};
  Array<double> value, gradient;
  Tape<double> tape(Mode::kTrain);
  const Var<double> leaf = tape.Watch(Shape{3}, x.data());
  const Var<double> y = Add(tape, Tap(tape, leaf, &value, &gradient), leaf);
  tape.Seed(y, seed.data());
  tape.Backward();
  CHECK(std::vector<double>(value.data(), value.data() + 3) == x);
  // What reaches the tap alone: the other way round it is not in it.
  CHECK(std::vector<double>(gradient.data(), gradient.data() + 3) == seed);
  CHECK(std::vector<double>(tape.grad(leaf), tape.grad(leaf) + 3) == std::vector<double>{1, 2, -2});
}

}  // namespace
}  // namespace ssm
