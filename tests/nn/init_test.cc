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

/// Products of every two rows, or columns, of a weight [rows, columns].
double Product(const std::vector<double>& w, size_t columns, bool of_rows, size_t a, size_t b) {
  const size_t rows = w.size() / columns;
  double sum = 0;
  for (size_t k = 0; k < (of_rows ? columns : rows); ++k) {
    sum +=
        of_rows ? w[a * columns + k] * w[b * columns + k] : w[k * columns + a] * w[k * columns + b];
  }
  return sum;
}

TEST_CASE("orthogonal weights have rows, or columns, of one length and no angle but right ones") {
  for (const auto& [rows, columns] :
       {std::pair<size_t, size_t>{1, 1}, {1, 5}, {5, 1}, {6, 6}, {3, 8}, {9, 4}, {64, 64}}) {
    CAPTURE(rows);
    CAPTURE(columns);
    const auto w = Draw(Orthogonal(static_cast<int64_t>(columns), 1.5), rows * columns);
    const size_t count = std::min(rows, columns);
    double worst = 0;
    for (size_t a = 0; a < count; ++a) {
      for (size_t b = 0; b < count; ++b) {
        const double product = Product(w, columns, rows <= columns, a, b);
        worst = std::max(worst, std::abs(product - (a == b ? 2.25 : 0)));
      }
    }
    CHECK(worst < 1e-14);
  }
  CHECK_THROWS_AS(Orthogonal(0), Error);
  CHECK_THROWS_AS(Orthogonal(3, 0), Error);
}

TEST_CASE("no direction is dearer to an orthogonal weight than another") {
  // Over many draws of 2 x 2: entries have mean 0 and variance 1/2, determinants both signs.
  double sum = 0, squares = 0, positive = 0;
  constexpr int kDraws = 4000;
  for (int i = 0; i < kDraws; ++i) {
    std::vector<double> w(4);
    Random random(3, RandomStream::kInit, static_cast<uint64_t>(i));
    Orthogonal(2)(w, random);
    sum += w[1];
    squares += w[1] * w[1];
    positive += w[0] * w[3] - w[1] * w[2] > 0 ? 1 : 0;
  }
  CHECK(std::abs(sum / kDraws) < 4 * std::sqrt(0.5 / kDraws));
  CHECK(std::abs(squares / kDraws - 0.5) < 4 * std::sqrt(0.125 / kDraws));
  CHECK(std::abs(positive / kDraws - 0.5) < 4 * std::sqrt(0.25 / kDraws));
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
