#include "ssm/systems/control_form.h"

#include <doctest/doctest.h>

#include <cmath>

#include "random_systems.h"
#include "ssm/systems/comparison.h"

namespace ssm {
namespace {

using testing::MatrixWithPoles;
using testing::RandomMatrix;
using testing::RandomPoles;

/// Outputs of both conventions for one input, stepped as they are defined.
std::vector<double> Outputs(const DiscreteSystem& s, const std::vector<double>& x) {
  std::vector<double> h(static_cast<size_t>(s.states()), 0.0), y;
  for (const double input : x) {
    std::vector<double> next(h.size(), 0.0);
    double out = s.D(0, 0) * input;
    for (int64_t i = 0; i < s.states(); ++i) {
      double& value = next[static_cast<size_t>(i)];
      value = s.B(i, 0) * input;
      for (int64_t j = 0; j < s.states(); ++j) value += s.A(i, j) * h[static_cast<size_t>(j)];
      out += s.C(0, i) * value;
    }
    h = next;
    y.push_back(out);
  }
  return y;
}

std::vector<double> Outputs(const ControlSystem& s, const std::vector<double>& u) {
  std::vector<double> x(static_cast<size_t>(s.states()), 0.0), y;
  for (const double input : u) {
    std::vector<double> next(x.size(), 0.0);
    double out = s.D(0, 0) * input;
    for (int64_t i = 0; i < s.states(); ++i) {
      out += s.C(0, i) * x[static_cast<size_t>(i)];
      double& value = next[static_cast<size_t>(i)];
      value = s.B(i, 0) * input;
      for (int64_t j = 0; j < s.states(); ++j) value += s.A(i, j) * x[static_cast<size_t>(j)];
    }
    x = next;
    y.push_back(out);
  }
  return y;
}

void CheckSame(const ControlSystem& control, const DiscreteSystem& discrete) {
  const std::vector<double> input{1, -2, 0.5, 3, 0, 0, 1, -1, 0, 0, 0, 2};
  const std::vector<double> a = Outputs(control, input), b = Outputs(discrete, input);
  for (size_t k = 0; k < input.size(); ++k) {
    CAPTURE(k);
    CHECK(std::abs(a[k] - b[k]) < 1e-12 * (1 + std::abs(a[k])));
  }
}

TEST_CASE("a sequence system in control form gives the same outputs") {
  const DiscreteSystem leaky{{{0.5}}, {{2}}, {{3}}, {{1}}};
  CHECK(ToControl(leaky).C == Matrix{{1.5}});
  CHECK(ToControl(leaky).D == Matrix{{7}});
  CheckSame(ToControl(leaky), leaky);
  Random random(9, RandomStream::kLaw, 4);
  const Matrix A = MatrixWithPoles(RandomPoles(2, 1, 0.3, 0.9, random), random);
  const DiscreteSystem system{A, RandomMatrix(5, 1, random), RandomMatrix(1, 5, random), {{0.5}}};
  CheckSame(ToControl(system), system);
}

TEST_CASE("there and back is the same system when A has an inverse") {
  Random random(10, RandomStream::kLaw, 4);
  const Matrix A = MatrixWithPoles(RandomPoles(2, 1, 0.3, 0.9, random), random);
  const DiscreteSystem system{A, RandomMatrix(5, 2, random), RandomMatrix(3, 5, random),
                              RandomMatrix(3, 2, random)};
  const DiscreteSystem back = FromControl(ToControl(system));
  CHECK(back.states() == 5);
  for (size_t i = 0; i < system.C.values.size(); ++i) {
    CHECK(back.C.values[i] == doctest::Approx(system.C.values[i]).epsilon(1e-12));
  }
  for (size_t i = 0; i < system.D.values.size(); ++i) {
    CHECK(back.D.values[i] == doctest::Approx(system.D.values[i]).epsilon(1e-11));
  }
}

TEST_CASE("a pure delay needs one state more, a chain of three too") {
  const ControlSystem delay{{{0}}, {{1}}, {{1}}, {{0}}};
  const DiscreteSystem two = FromControl(delay);
  CHECK(two.states() == 2);
  CheckSame(delay, two);
  const ControlSystem chain{
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{1}, {0}, {0}}, {{0.5, 0, 2}}, {{-1}}};
  const DiscreteSystem four = FromControl(chain);
  CHECK(four.states() == 4);
  CheckSame(chain, four);
  // Read where A reaches: nothing is lost.
  const ControlSystem seen{{{0, 0}, {0, 0.5}}, {{1}, {1}}, {{0, 1}}, {{0}}};
  CHECK(FromControl(seen).states() == 2);
  CheckSame(seen, FromControl(seen));
}

TEST_CASE("a nearly singular A makes no huge numbers") {
  for (double small : {1e-3, 1e-7, 1e-12, 1e-300}) {
    CAPTURE(small);
    const ControlSystem system{{{small, 0.3}, {0, 0.5}}, {{1}, {1}}, {{1, 1}}, {{2}}};
    const DiscreteSystem discrete = FromControl(system);
    CheckSame(system, discrete);
    for (const double value : discrete.C.values) CHECK(std::abs(value) < 1e7);
    CHECK(Compare(system, ToControl(discrete)).markov < 1e-9);
  }
}

TEST_CASE("no states is a gain in both") {
  const ControlSystem gain{Matrix(0, 0), Matrix(0, 1), Matrix(1, 0), {{3}}};
  CHECK(FromControl(gain).D == Matrix{{3}});
  CHECK(ToControl(FromControl(gain)).D == Matrix{{3}});
}

}  // namespace
}  // namespace ssm
