#include "ssm/systems/balanced_truncation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "random_systems.h"
#include "ssm/base/errors.h"
#include "ssm/systems/comparison.h"
#include "ssm/systems/frequency_response.h"
#include "ssm/systems/gramians.h"

namespace ssm {
namespace {

using testing::MatrixWithPoles;
using testing::RandomMatrix;
using testing::RandomPoles;

template <class System>
double LargestGainOfDifference(const System& a, const System& b, const std::vector<double>& omega) {
  FrequencyResponse difference = FrequencyResponseOf(a, omega);
  const FrequencyResponse other = FrequencyResponseOf(b, omega);
  for (size_t i = 0; i < other.values.size(); ++i) difference.values[i] -= other.values[i];
  const std::vector<double> gains = Gains(difference);
  return *std::max_element(gains.begin(), gains.end());
}

DiscreteSystem Example(uint64_t seed) {
  Random random(seed, RandomStream::kLaw, 2);
  const Matrix A = MatrixWithPoles(RandomPoles(4, 3, 0.4, 0.97, random), random);
  return {A, RandomMatrix(A.rows, 2, random), RandomMatrix(3, A.rows, random),
          RandomMatrix(3, 2, random)};
}

TEST_CASE("discrete truncation keeps to its bound at every frequency and order") {
  const DiscreteSystem system = Example(1);
  const std::vector<double> omega = EvenFrequencies(2000);
  const std::vector<double> hankel = HankelSingularValues(system);
  for (int64_t order = 0; order < system.states(); ++order) {
    CAPTURE(order);
    const Truncation<DiscreteSystem> small = TruncateBalanced(system, order);
    CHECK(small.system.states() == order);
    const double error = LargestGainOfDifference(system, small.system, omega);
    CHECK(error <= small.error_bound * (1 + 1e-9));
    // No system of this order does better than the first value left out (Nehari).
    CHECK(error >= hankel[static_cast<size_t>(order)] * (1 - 1e-2));
    for (const auto pole : PolesOf(small.system.A)) CHECK(std::abs(pole) < 1);
  }
}

TEST_CASE("nothing left out changes the coordinates alone") {
  const DiscreteSystem system = Example(2);
  const Truncation<DiscreteSystem> same = TruncateBalanced(system, system.states());
  CHECK(same.error_bound == 0);
  const SystemComparison apart = Compare(system, same.system);
  CHECK(apart.markov < 1e-12);
  CHECK(apart.frequency < 1e-11);
  CHECK(apart.poles.worst < 1e-10);
  const Matrix reach = ControllabilityGramian(same.system),
               seen = ObservabilityGramian(same.system);
  for (int64_t i = 0; i < reach.rows; ++i) {
    for (int64_t j = 0; j < reach.cols; ++j) {
      const double expected = i == j ? same.hankel[static_cast<size_t>(i)] : 0;
      CHECK(std::abs(reach(i, j) - expected) < 1e-10 * same.hankel[0]);
      CHECK(std::abs(seen(i, j) - expected) < 1e-10 * same.hankel[0]);
    }
  }
}

TEST_CASE("one of two real continuous poles: the bound is reached at frequency 0") {
  // A relaxation system (B = C^T, A symmetric) errs most at 0, by the bound itself.
  const ContinuousSystem system{{{-1, 0}, {0, -5}}, {{1}, {2}}, {{1, 2}}, {{0.5}}};
  const Truncation<ContinuousSystem> small = TruncateBalanced(system, 1);
  std::vector<double> omega{0};
  for (int i = -60; i <= 60; ++i) omega.push_back(std::pow(10.0, 0.05 * i));
  CHECK(LargestGainOfDifference(system, small.system, omega) ==
        doctest::Approx(small.error_bound).epsilon(1e-12));
  CHECK(LargestGainOfDifference(system, small.system, {0.0}) ==
        doctest::Approx(small.error_bound).epsilon(1e-12));
}

TEST_CASE("states that do nothing are left out without an error") {
  // Third state unseen, fourth unreached.
  const DiscreteSystem system{
      {{0.5, 0.2, 0, 0.1}, {-0.2, 0.5, 0, 0.3}, {0.1, 0.2, 0.3, 0}, {0, 0, 0, -0.7}},
      {{1}, {0.5}, {1}, {0}},
      {{1, 1, 0, 1}},
      {{0}}};
  const Truncation<DiscreteSystem> small = TruncateBalanced(system, 2);
  CHECK(small.error_bound < 1e-15);
  CHECK(Compare(system, small.system).markov < 1e-14);
  CHECK_THROWS_WITH_AS(TruncateBalanced(system, 3),
                       "order 3 of a truncation, but only 2 Hankel singular values are more than "
                       "rounding; ask for 2 or fewer",
                       Error);
  CHECK_THROWS_AS(TruncateBalanced(system, 5), Error);
  CHECK_THROWS_AS(TruncateBalanced(system, -1), Error);
}

TEST_CASE("the order for an error is the smallest that keeps to it") {
  const std::vector<double> hankel{4, 2, 0.5, 0.25};
  CHECK(OrderForError(hankel, 0) == 4);
  CHECK(OrderForError(hankel, 0.5) == 3);
  CHECK(OrderForError(hankel, 1.49) == 3);
  CHECK(OrderForError(hankel, 1.5) == 2);
  CHECK(OrderForError(hankel, 100) == 0);
}

}  // namespace
}  // namespace ssm
