#include "ssm/systems/projection_fit.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <utility>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/base/random.h"
#include "ssm/systems/hippo_basis.h"
#include "ssm/systems/hippo_projection.h"
#include "ssm/systems/legs_projection.h"

namespace ssm {
namespace {

using enum HippoMeasure;

std::vector<double> Middles(int64_t samples, double length) {
  std::vector<double> ages(static_cast<size_t>(samples));
  for (size_t d = 0; d < ages.size(); ++d) ages[d] = (static_cast<double>(d) + 0.5) / length;
  return ages;
}

/// Values at the ages of Middles(samples, ...), newest first, of f(time), the newest at time 1.
Matrix Past(int64_t samples, const std::function<double(double)>& f) {
  Matrix past(samples, 1);
  for (int64_t d = 0; d < samples; ++d) {
    past(d, 0) = f(1 - (static_cast<double>(d) + 0.5) / static_cast<double>(samples));
  }
  return past;
}

double Difference(const Matrix& a, const Matrix& b) {
  double sum = 0, scale = 0;
  for (size_t i = 0; i < a.values.size(); ++i) {
    sum += (a.values[i] - b.values[i]) * (a.values[i] - b.values[i]);
    scale += b.values[i] * b.values[i];
  }
  return std::sqrt(sum / scale);
}

double Smooth(double t) { return std::sin(9 * t) + 0.5 * std::cos(17 * t + 1) + 0.3; }

TEST_CASE("what lies in the span is found again") {
  for (HippoMeasure measure : HippoMeasures()) {
    CAPTURE(NameOf(measure));
    const HippoOptions options{measure, 6, 0.3, 0.9};
    const bool window = std::isfinite(WindowLength(measure));
    const std::vector<double> ages = Middles(200, window ? 200 : 5);
    Matrix c{{1, 0.5}, {0, 0}, {-2, 1}, {0.3, 4}, {1, 1}, {-0.7, 2}};
    const Matrix fit = FitProjection(options, ages, Reconstruct(options, c, ages));
    for (int64_t i = 0; i < 6; ++i) {
      for (int64_t k = 0; k < 2; ++k) CHECK(std::abs(fit(i, k) - c(i, k)) < 1e-10);
    }
  }
}

TEST_CASE("what is left over is orthogonal to the basis in the measure") {
  for (HippoMeasure measure : HippoMeasures()) {
    CAPTURE(NameOf(measure));
    const HippoOptions options{measure, 6, 0.3, 0.9};
    const bool window = std::isfinite(WindowLength(measure));
    const std::vector<double> ages = Middles(300, window ? 300 : 10);
    const Matrix past = Past(300, Smooth);
    const Matrix fitted = Reconstruct(options, FitProjection(options, ages, past), ages);
    const Matrix basis = HippoBasis(options, ages);
    for (int64_t i = 0; i < 6; ++i) {
      double sum = 0;
      for (int64_t d = 0; d < 300; ++d) {
        const double age = ages[static_cast<size_t>(d)];
        const double weight =
            measure == kGeneralLagT ? std::pow(age, -0.3) * std::exp(-0.9 * age) : 1;
        sum += weight * basis(d, i) * (past(d, 0) - fitted(d, 0));
      }
      CHECK(std::abs(sum) < 1e-10);
    }
  }
}

TEST_CASE("LegS online is the least-squares polynomial of the whole history") {
  constexpr int64_t kSamples = 2000;
  for (int64_t order : {4, 8, 16}) {
    CAPTURE(order);
    const HippoOptions options{kLegS, order};
    const Matrix past = Past(kSamples, Smooth);
    LegsProjection projection(order, 1, StepRule::kZoh, LegsStart::kFirstSample);
    for (int64_t t = kSamples - 1; t >= 0; --t) projection.Step({&past.values[size_t(t)], 1});
    const std::vector<double> ages = Middles(kSamples, projection.history());
    const Matrix online = Reconstruct(options, projection.coefficients(), ages);
    const Matrix fitted = Reconstruct(options, FitProjection(options, ages, past), ages);
    // Sums over samples against integrals over held samples: O(N^2 / samples^2) apart.
    CHECK(Difference(online, fitted) < 1e-4);
    CHECK(Difference(online, past) < 1.001 * Difference(fitted, past) + 1e-4);
  }
}

TEST_CASE("LagT online is the least-squares fit of the whole past") {
  constexpr int64_t kSamples = 6000;
  constexpr double kPerUnit = 40;  // so the past is 150 units long
  const HippoOptions options{kLagT, 12};
  const Matrix past = Past(kSamples, [](double t) { return Smooth(5 * t); });
  HippoProjection projection(options, 1, StepRule::kZoh, 1 / kPerUnit);
  for (int64_t t = kSamples - 1; t >= 0; --t) projection.Step({&past.values[size_t(t)], 1});
  const Matrix fit = FitProjection(options, Middles(kSamples, kPerUnit), past);
  CHECK(Difference(projection.coefficients(), fit) < 1e-3);
}

/// The NRMSE of a window's state and of the fit, after `windows` of a sinusoid.
std::pair<double, double> Window(HippoMeasure measure, int64_t order, double cycles,
                                 int64_t windows) {
  constexpr int64_t kWindow = 1000;
  const HippoOptions options{measure, order};
  const double angle = 2 * std::numbers::pi * cycles * static_cast<double>(windows);
  const int64_t samples = windows * kWindow;
  const Matrix all = Past(samples, [&](double t) { return std::sin(angle * t + 0.7); });
  HippoProjection projection(options, 1, StepRule::kZoh, WindowLength(measure) / kWindow);
  for (int64_t t = samples - 1; t >= 0; --t) projection.Step({&all.values[size_t(t)], 1});
  Matrix past(kWindow, 1);
  std::copy_n(all.values.begin(), kWindow, past.values.begin());
  const std::vector<double> ages = Middles(kWindow, kWindow);
  const Matrix online = Reconstruct(options, projection.coefficients(), ages);
  const Matrix fitted = Reconstruct(options, FitProjection(options, ages, past), ages);
  return {Difference(online, past), Difference(fitted, past)};
}

TEST_CASE("a window's state is near the fit of the window, and never better") {
  for (HippoMeasure measure : {kLegT, kLegTHalved, kLmu}) {
    CAPTURE(NameOf(measure));
    const auto [online, fitted] = Window(measure, 12, 2.3, 3);
    CHECK(online >= fitted);
    CHECK(online < 3 * fitted + 1e-3);
  }
  // A whole number of cycles is in FouT's span, any other leaves a jump at the window's ends.
  CHECK(Window(kFouT, 12, 2, 12).first < 1e-4);
  const auto [online, fitted] = Window(kFouT, 64, 2.5, 12);
  CHECK(fitted > 0.05);
  CHECK(online >= fitted);
  CHECK(online < 2 * fitted);
}

TEST_CASE("blocks of ages are one problem") {
  // 9000 ages are three blocks. On even ages the columns of the basis are orthonormal but for
  // O(N^2 / ages)^2, so the coefficients are the means of g_i f to that.
  const HippoOptions options{kLegS, 6};
  const std::vector<double> ages = Middles(9000, 9000);
  const Matrix past = Past(9000, Smooth), basis = HippoBasis(options, ages);
  const Matrix fit = FitProjection(options, ages, past);
  for (int64_t i = 0; i < 6; ++i) {
    double mean = 0;
    for (int64_t d = 0; d < 9000; ++d) mean += basis(d, i) * past(d, 0) / 9000;
    CHECK(std::abs(fit(i, 0) - mean) < 1e-5);
  }
}

TEST_CASE("too few ages are refused") {
  const HippoOptions options{kLegS, 8};
  CHECK_THROWS_WITH_AS(FitProjection(options, Middles(7, 7), Matrix(7, 1)),
                       "7 ages do not determine 8 coefficients; give more samples or a lower order",
                       Error);
  CHECK(FitProjection(options, Middles(8, 8), Matrix(8, 1)).rows == 8);
  CHECK_THROWS_AS(FitProjection(options, std::vector<double>(20, 0.5), Matrix(20, 1)), Error);
  std::vector<double> close(20, 0.5);
  for (size_t i = 0; i < close.size(); ++i) close[i] += 1e-9 * static_cast<double>(i);
  CHECK_THROWS_AS(FitProjection(options, close, Matrix(20, 1)), Error);
  CHECK_THROWS_AS(FitProjection({kLegS, 3}, {}, Matrix(0, 1)), Error);
  // The sine of no period needs no sample.
  CHECK(FitProjection({kFouT, 4}, Middles(3, 3), Matrix(3, 1))(1, 0) == 0);
}

}  // namespace
}  // namespace ssm
