#include "ssm/nn/init.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

std::vector<double> Draw(const Init& init, size_t n = 20000) {
  std::vector<double> values(n, -77);
  Random random(3, RandomStream::kInit, 9);
  init(values, random);
  return values;
}

double Mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double Deviation(const std::vector<double>& values) {
  const double mean = Mean(values);
  double sum = 0;
  for (double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

TEST_CASE("constants") {
  CHECK(Draw(Zeros(), 3) == std::vector<double>(3, 0));
  CHECK(Draw(Ones(), 3) == std::vector<double>(3, 1));
  CHECK(Draw(Constant(-2.5), 3) == std::vector<double>(3, -2.5));
}

TEST_CASE("uniform fills its interval and nothing else") {
  const auto values = Draw(Uniform(-3, 1));
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  CHECK((*low >= -3 && *low < -2.99));
  CHECK((*high <= 1 && *high > 0.99));
  CHECK(std::abs(Mean(values) + 1) < 4 * (4 / std::sqrt(12.0)) / std::sqrt(20000.0));
}

TEST_CASE("normal and LeCun have their moments") {
  const auto normal = Draw(Normal(5, 2));
  CHECK(std::abs(Mean(normal) - 5) < 4 * 2 / std::sqrt(20000.0));
  CHECK(Deviation(normal) == doctest::Approx(2).epsilon(0.03));
  CHECK(Deviation(Draw(LeCun(16))) == doctest::Approx(0.25).epsilon(0.03));
}

TEST_CASE("fan-in bounds are 1 / sqrt(fan_in)") {
  const auto values = Draw(FanIn(4));
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  CHECK((*low >= -0.5 && *low < -0.499));
  CHECK((*high <= 0.5 && *high > 0.499));
  CHECK_THROWS_AS(FanIn(0), Error);
}

}  // namespace
}  // namespace ssm
