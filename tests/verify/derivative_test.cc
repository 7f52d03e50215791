#include "ssm/verify/derivative.h"

#include <doctest/doctest.h>

#include <cmath>

namespace ssm::test {
namespace {

TEST_CASE("smooth functions to ten digits") {
  CHECK(Ridders([](double h) { return std::sin(1 + h); }, 1e-3, 0).value ==
        doctest::Approx(std::cos(1.0)).epsilon(1e-10));
  CHECK(Ridders([](double h) { return std::exp(5 * h); }, 1e-3, 0).value ==
        doctest::Approx(5).epsilon(1e-10));
}

TEST_CASE("fast oscillation: the first steps are far too wide") {
  const Derivative d = Ridders([](double h) { return std::sin(2000 * h); }, 1e-2, 0);
  CHECK(d.value == doctest::Approx(2000).epsilon(1e-7));
}

TEST_CASE("a kink further off than the smallest step does no harm") {
  const Derivative d = Ridders([](double h) { return std::abs(h - 1e-5) + std::sin(h); }, 1e-3, 0);
  CHECK(d.value == doctest::Approx(0).epsilon(1e-7));
  CHECK(std::abs(d.value) < 1e-7);
}

TEST_CASE("it stops when it is good enough") {
  int calls = 0;
  Ridders([&](double h) { return ++calls, h * h * h + h; }, 1e-3, 1e-6);
  CHECK(calls == 4);
}

}  // namespace
}  // namespace ssm::test
