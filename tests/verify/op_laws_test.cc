// Every op equals its twin and its numerical gradient, and the two laws notice when it does not.
#include "ssm/verify/op_laws.h"

#include <doctest/doctest.h>

#include "verify/law_outcomes.h"

namespace ssm::test {
namespace {

TEST_CASE("every case of every op") { CheckAllPassed(CheckOps(TestRequest())); }

/// y = x * x with the forward or the backward off by a factor.
OpCase Square(double forward, double backward) {
  Array<double> x(Shape{4});
  for (int64_t i = 0; i < 4; ++i) x[i] = 1 + 0.5 * static_cast<double>(i);
  std::vector<Array<double>> inputs;
  inputs.push_back(std::move(x));
  const auto run = [=](auto& tape, auto in) {
    using T = std::remove_const_t<std::remove_reference_t<decltype(tape.value(in[0])[0])>>;
    const Var<T> from = in[0];
    const Var<T> y = tape.New(tape.shape(from));
    for (int64_t i = 0; i < 4; ++i) {
      tape.out(y)[i] = static_cast<T>(forward) * tape.value(from)[i] * tape.value(from)[i];
    }
    tape.Record("square", {from}, {y}, 4, [=](Tape<T>& t) {
      for (int64_t i = 0; i < 4; ++i) {
        t.acc(from)[i] += static_cast<T>(2 * backward) * t.value(from)[i] * t.grad(y)[i];
      }
    });
    return std::vector<Var<T>>{y};
  };
  const auto naive = [](std::span<const Array<double>> in) {
    std::vector<Array<double>> out;
    out.push_back(in[0].Clone());
    for (double& v : out[0].flat()) v *= v;
    return out;
  };
  return MakeOpCase("square", "four numbers", std::move(inputs), run, naive);
}

bool NaivePasses(OpCase c) {
  std::vector<OpCase> cases;
  cases.push_back(std::move(c));
  return NaiveLaw("square", cases, TestRequest()).passed;
}

bool GradientPasses(OpCase c) {
  std::vector<OpCase> cases;
  cases.push_back(std::move(c));
  return OpGradientLaw("square", cases, TestRequest()).passed;
}

TEST_CASE("a wrong forward fails naive, a wrong backward gradient") {
  CHECK(NaivePasses(Square(1, 1)));
  CHECK(GradientPasses(Square(1, 1)));
  CHECK(!NaivePasses(Square(1 + 1e-9, 1 + 1e-9)));
  CHECK(GradientPasses(Square(2, 2)));
  CHECK(NaivePasses(Square(1, 1.00001)));
  CHECK(!GradientPasses(Square(1, 1.00001)));
}

}  // namespace
}  // namespace ssm::test
