#include "ssm/systems/transient_growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/systems/discretization.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/eigenvalues.h"
#include "ssm/systems/result_array.h"
#include "ssm/systems/spectral_norm.h"

namespace ssm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class System>
void RequireSound(const System& system) {
  const std::vector<std::string> faults = FaultsOf(system);
  if (faults.empty()) return;
  Fail(ExitCode::kBadConfig, "The system's growth cannot be told: " + Join(faults, "; ") + ".");
}

/// `log_radius`: of `radius`, for powers that keep its digits.
TransientGrowth GrowthOfPowers(const Matrix& A, int64_t steps, double radius, double log_radius) {
  TransientGrowth growth;
  growth.radius = radius;
  RequireRoom("The series of growth", steps, 2, 1);
  const auto count = static_cast<size_t>(steps) + 1;
  growth.norms.assign(count, kInfinity);
  growth.envelope.resize(count);
  const Eigen::MatrixXd dense = ToEigen(A);
  Eigen::MatrixXd power = Eigen::MatrixXd::Identity(A.rows, A.cols);
  for (size_t k = 0; k < count; ++k) {
    growth.envelope[k] = k == 0 ? 1 : std::exp(static_cast<double>(k) * log_radius);
    if (k > 0) power = power * dense;
    const double norm = k == 0 ? 1 : SpectralNorm(FromEigen(power));
    growth.norms[k] = norm;
    if (norm > growth.peak) {
      growth.peak = norm;
      growth.peak_step = static_cast<int64_t>(k);
    }
    growth.peak_is_final = growth.peak_is_final || (k > 0 && norm <= 1);
    if (!std::isfinite(norm)) {
      for (size_t later = k + 1; later < count; ++later) {
        growth.envelope[later] = std::exp(static_cast<double>(later) * log_radius);
      }
      break;
    }
  }
  return growth;
}

}  // namespace

TransientGrowth TransientGrowthOf(const DiscreteSystem& system, int64_t steps) {
  RequireSound(system);
  const double radius = EigenvaluesOf(system.A).Radius();
  return GrowthOfPowers(system.A, steps, radius, std::log(radius));
}

TransientGrowth TransientGrowthOf(const ContinuousSystem& system, double dt, int64_t steps) {
  const DiscreteSystem discrete = Discretize(system, dt, StepRule::kZoh);
  const double log_radius = dt * EigenvaluesOf(system.A).Abscissa();
  return GrowthOfPowers(discrete.A, steps, std::exp(log_radius), log_radius);
}

double NumericalAbscissa(const Matrix& A) {
  if (A.rows == 0) return -kInfinity;
  const Eigen::MatrixXd dense = ToEigen(A);
  const Eigen::MatrixXd symmetric = 0.5 * dense + 0.5 * dense.transpose();
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(symmetric, Eigen::EigenvaluesOnly)
      .eigenvalues()
      .maxCoeff();
}

double KreissLowerBound(const DiscreteSystem& system) {
  constexpr int kAngles = 32, kDistances = 24;
  RequireSound(system);
  const Eigenvalues eigenvalues = EigenvaluesOf(system.A);
  if (eigenvalues.Radius() >= 1) return kInfinity;
  std::vector<double> angles;  // those below the real axis are alike
  for (int i = 0; i < kAngles; ++i) angles.push_back(std::numbers::pi * i / (kAngles - 1));
  for (const auto& value : eigenvalues.values) angles.push_back(std::fabs(std::arg(value)));
  const Eigen::MatrixXcd dense = ToEigen(system.A).cast<std::complex<double>>();
  const Eigen::MatrixXcd one = Eigen::MatrixXcd::Identity(dense.rows(), dense.cols());
  if (system.states() == 0) return 1;
  double bound = 1;  // for |z| -> infinity
  for (const double angle : angles) {
    for (int j = 0; j < kDistances; ++j) {
      const double beyond = std::exp2(2 - j);
      const Eigen::MatrixXcd shifted = std::polar(1 + beyond, angle) * one - dense;
      const double smallest = Eigen::BDCSVD<Eigen::MatrixXcd>(shifted).singularValues().minCoeff();
      if (smallest > 0) bound = std::max(bound, beyond / smallest);
    }
  }
  return bound;
}

}  // namespace ssm
