#include "ssm/kernels/pointwise.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "support/numbers.h"

namespace ssm::kernels {
namespace {

struct Named {
  Activation f;
  std::function<double(double)> value;
};

double Phi(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }
double Logistic(double x) { return 1 / (1 + std::exp(-x)); }

const Named kFunctions[] = {
    {Activation::kNone, [](double x) { return x; }},
    {Activation::kGelu, [](double x) { return x * Phi(x); }},
    {Activation::kSilu, [](double x) { return x * Logistic(x); }},
    {Activation::kRelu, [](double x) { return std::max(x, 0.0); }},
    {Activation::kTanh, [](double x) { return std::tanh(x); }},
    {Activation::kSigmoid, [](double x) { return Logistic(x); }},
    {Activation::kSoftplus, [](double x) { return std::log1p(std::exp(x)); }},
    {Activation::kExp, [](double x) { return std::exp(x); }},
    {Activation::kPositive, [](double x) { return x < 0 ? Logistic(x) : x + 0.5; }},
    {Activation::kSquaredRelu, [](double x) { return x > 0 ? x * x : 0; }},
};

constexpr int64_t kSizes[] = {0, 1, 7, 16, 33};

TEST_CASE_TEMPLATE("activations equal their definition at any size", T, float, double) {
  for (const Named& named : kFunctions) {
    for (int64_t n : kSizes) {
      auto x = test::Numbers<T>(n, 5);
      auto y = std::vector<T>(x.size(), T{-9});
      Apply(named.f, n, x.data(), y.data());
      for (size_t i = 0; i < x.size(); ++i) {
        const double want = named.value(static_cast<double>(x[i]));
        CHECK(static_cast<double>(y[i]) ==
              doctest::Approx(want).epsilon(8 * std::numeric_limits<T>::epsilon()));
      }
      Apply(named.f, n, x.data(), x.data());
      CHECK(x == y);
    }
  }
}

TEST_CASE("published values: gelu(1), silu(1) and the far ends") {
  double y[3];
  const double x[3] = {1, -40, 40};
  Apply(Activation::kGelu, 3, x, y);
  CHECK(y[0] == doctest::Approx(0.8413447460685429).epsilon(1e-15));
  CHECK(y[1] == 0);
  CHECK(y[2] == 40);
  Apply(Activation::kSilu, 3, x, y);
  CHECK(y[0] == doctest::Approx(0.7310585786300049).epsilon(1e-15));
}

TEST_CASE("slopes equal central differences and are added") {
  constexpr double kStep = 1e-5;
  for (const Named& named : kFunctions) {
    const auto x = test::Numbers<double>(33, 6), gy = test::Numbers<double>(33, 7);
    std::vector<double> gx(33, 2.0);
    ApplyBackward(named.f, 33, x.data(), gy.data(), gx.data());
    for (size_t i = 0; i < 33; ++i) {
      const double slope = (named.value(x[i] + kStep) - named.value(x[i] - kStep)) / (2 * kStep);
      CHECK(gx[i] == doctest::Approx(2 + slope * gy[i]).epsilon(1e-8));
    }
  }
}

TEST_CASE("products with an activation, and either gradient alone") {
  const auto a = test::Numbers<double>(19, 1), b = test::Numbers<double>(19, 2);
  const auto gy = test::Numbers<double>(19, 3);
  for (const Named& named : kFunctions) {
    std::vector<double> f(19), slope(19, 0.0), y(19), ga(19, 1.0), gb(19, 1.0), ga2(19, 1.0),
        gb2(19, 1.0);
    Apply(named.f, 19, a.data(), f.data());
    ApplyBackward(named.f, 19, a.data(), std::vector<double>(19, 1.0).data(), slope.data());
    ApplyProduct(named.f, 19, a.data(), b.data(), y.data());
    ApplyProductBackward(named.f, 19, a.data(), b.data(), gy.data(), ga.data(), gb.data());
    ApplyProductBackward<double>(named.f, 19, a.data(), b.data(), gy.data(), ga2.data(), nullptr);
    ApplyProductBackward<double>(named.f, 19, a.data(), b.data(), gy.data(), nullptr, gb2.data());
    for (size_t i = 0; i < 19; ++i) {
      CHECK(y[i] == doctest::Approx(f[i] * b[i]).epsilon(1e-14));
      CHECK(ga[i] == doctest::Approx(1 + slope[i] * b[i] * gy[i]).epsilon(1e-13));
      CHECK(gb[i] == doctest::Approx(1 + f[i] * gy[i]).epsilon(1e-13));
      CHECK(ga2[i] == doctest::Approx(ga[i]).epsilon(1e-13));
      CHECK(gb2[i] == doctest::Approx(gb[i]).epsilon(1e-13));
    }
  }
}

TEST_CASE("rows are spread and summed") {
  const double bias[3] = {1, 2, 3};
  double y[6];
  SpreadRows(2, 3, bias, y);
  CHECK(std::vector<double>(y, y + 6) == std::vector<double>{1, 2, 3, 1, 2, 3});
  double sum[3] = {10, 0, 0};
  SumRows(2, 3, y, sum);
  CHECK(std::vector<double>(sum, sum + 3) == std::vector<double>{12, 4, 6});
  SpreadRows<double>(2, 3, nullptr, y);
  CHECK(std::vector<double>(y, y + 6) == std::vector<double>(6, 0.0));
}

}  // namespace
}  // namespace ssm::kernels
