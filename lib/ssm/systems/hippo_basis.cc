#include "ssm/systems/hippo_basis.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

/// P_0(x) ... P_{n-1}(x).
void Legendre(double x, std::span<double> values) {
  double before = 0, now = 1;
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = now;
    const double k = static_cast<double>(i);
    const double next = ((2 * k + 1) * x * now - k * before) / (k + 1);
    before = now;
    now = next;
  }
}

/// L_0^(alpha)(x) ... times e^log_factor. The polynomials overflow where their product with the
/// factor is of order one, so they are carried with a power of two of their own.
void ScaledLaguerre(double alpha, double x, double log_factor, std::span<double> values) {
  constexpr int kShift = 512;
  double before = 0, now = 1, log_scale = log_factor;
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = now * std::exp(log_scale);
    const double k = static_cast<double>(i);
    const double next = ((2 * k + 1 + alpha - x) * now - (k + alpha) * before) / (k + 1);
    before = now;
    now = next;
    if (std::abs(now) > 0x1p512) {
      now = std::ldexp(now, -kShift);
      before = std::ldexp(before, -kShift);
      log_scale += kShift * std::numbers::ln2;
    }
  }
}

void LegendreRow(double age, std::span<double> row) {
  Legendre(1 - 2 * age, row);
  for (size_t i = 0; i < row.size(); ++i) row[i] *= std::sqrt(static_cast<double>(2 * i + 1));
}

void GeneralLaguerreRow(double alpha, double beta, double age, std::span<double> row) {
  const double scale = std::pow(beta, (1 - alpha) / 2) / std::sqrt(std::tgamma(1 - alpha));
  const double power = alpha == 0 ? 0 : alpha * std::log(age);
  ScaledLaguerre(alpha, age, power - (1 - beta) * age / 2, row);
  double square = std::tgamma(1 + alpha);
  for (size_t i = 0; i < row.size(); ++i) {
    const double k = static_cast<double>(i);
    if (i > 0) square *= (k + alpha) / k;
    row[i] /= scale * std::sqrt(square);
  }
}

void FourierRow(double age, std::span<double> row) {
  row[0] = 1;
  row[1] = 0;
  for (size_t i = 2; i + 1 < row.size(); i += 2) {
    const double angle = std::numbers::pi * static_cast<double>(i) * age;
    row[i] = std::numbers::sqrt2 * std::cos(angle);
    row[i + 1] = std::numbers::sqrt2 * std::sin(angle);
  }
}

void BasisRow(const HippoOptions& options, double age, std::span<double> row) {
  switch (options.measure) {
    case HippoMeasure::kLegS:
    case HippoMeasure::kLegT:
    case HippoMeasure::kLegTHalved:
      return LegendreRow(age, row);
    case HippoMeasure::kLmu:
      return Legendre(2 * age - 1, row);
    case HippoMeasure::kLagT:
      return ScaledLaguerre(0, age, -age / 2, row);
    case HippoMeasure::kGeneralLagT:
      return GeneralLaguerreRow(options.alpha, options.beta, age, row);
    case HippoMeasure::kFouT:
      return FourierRow(age, row);
  }
}

void RequireAges(const HippoOptions& options, std::span<const double> ages) {
  const bool bounded = std::isfinite(WindowLength(options.measure));
  const bool pole = options.measure == HippoMeasure::kGeneralLagT && options.alpha < 0;
  for (size_t i = 0; i < ages.size(); ++i) {
    const double age = ages[i];
    if (std::isfinite(age) && age >= 0 && !(bounded && age > 1) && !(pole && age == 0)) continue;
    const char* allowed = bounded ? "a share of its past, 0 to 1"
                          : pole  ? "a time above 0 where alpha is negative"
                                  : "a time, 0 or more";
    Fail(ExitCode::kBadConfig, fmt::format("age {} of {} is {}; an age of {} is {}", i, ages.size(),
                                           age, NameOf(options.measure), allowed));
  }
}

}  // namespace

Matrix HippoBasis(const HippoOptions& options, std::span<const double> ages) {
  RequireValid(options);
  RequireAges(options, ages);
  Matrix basis(static_cast<int64_t>(ages.size()), options.order);
  const size_t order = static_cast<size_t>(options.order);
  for (size_t i = 0; i < ages.size(); ++i) {
    BasisRow(options, ages[i], std::span(basis.values).subspan(i * order, order));
  }
  return basis;
}

Matrix Reconstruct(const HippoOptions& options, const Matrix& coefficients,
                   std::span<const double> ages) {
  RequireValid(options);
  RequireAges(options, ages);
  SSM_CHECK(coefficients.rows == options.order, "coefficients are [order, channels]");
  Matrix signal(static_cast<int64_t>(ages.size()), coefficients.cols);
  std::vector<double> row(static_cast<size_t>(options.order));
  for (int64_t t = 0; t < signal.rows; ++t) {
    BasisRow(options, ages[static_cast<size_t>(t)], row);
    for (int64_t i = 0; i < options.order; ++i) {
      const double g = row[static_cast<size_t>(i)];
      for (int64_t k = 0; k < signal.cols; ++k) signal(t, k) += g * coefficients(i, k);
    }
  }
  return signal;
}

}  // namespace ssm
