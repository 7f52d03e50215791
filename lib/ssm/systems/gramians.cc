#include "ssm/systems/gramians.h"

#include <cmath>
#include <limits>

#include "ssm/systems/check_system-inl.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/scaled_system.h"
#include "ssm/systems/stable_factor-inl.h"

namespace ssm {
namespace {

using Eigen::MatrixXd;

SystemTime TimeOf(const DiscreteSystem&) { return SystemTime::kDiscrete; }
SystemTime TimeOf(const ContinuousSystem&) { return SystemTime::kContinuous; }

template <class System>
MatrixXd ControllabilityFactor(const System& system) {
  CheckSystem(system);
  return GramianFactor(ToEigen(system.A), ToEigen(system.B), TimeOf(system));
}

template <class System>
MatrixXd ObservabilityFactor(const System& system) {
  CheckSystem(system);
  return GramianFactor(ToEigen(system.A).transpose(), ToEigen(system.C).transpose(),
                       TimeOf(system));
}

Matrix Squared(const MatrixXd& factor) { return FromEigen(factor * factor.transpose()); }

template <class System>
std::vector<double> Hankel(const System& system) {
  if (system.states() == 0) return {};
  CheckSystem(system);
  const auto scaled = ScaledSystemOf(system);
  const MatrixXd product =
      ObservabilityFactor(scaled.system).transpose() * ControllabilityFactor(scaled.system);
  const Eigen::JacobiSVD<MatrixXd> svd(product);
  std::vector<double> values;
  for (const double value : svd.singularValues()) {
    values.push_back(scaled.OfKernel(value));
  }
  return values;
}

}  // namespace

Matrix ControllabilityGramian(const DiscreteSystem& system) {
  return Squared(ControllabilityFactor(system));
}
Matrix ControllabilityGramian(const ContinuousSystem& system) {
  return Squared(ControllabilityFactor(system));
}
Matrix ObservabilityGramian(const DiscreteSystem& system) {
  return Squared(ObservabilityFactor(system));
}
Matrix ObservabilityGramian(const ContinuousSystem& system) {
  return Squared(ObservabilityFactor(system));
}

std::vector<double> HankelSingularValues(const DiscreteSystem& system) { return Hankel(system); }
std::vector<double> HankelSingularValues(const ContinuousSystem& system) { return Hankel(system); }

std::vector<double> StateSpread(const DiscreteSystem& system) {
  CheckSystem(system);
  if (system.states() == 0) return {};
  const auto scaled = ScaledSystemOf(system);
  std::vector<double> values;
  const Eigen::JacobiSVD<MatrixXd> svd(ControllabilityFactor(scaled.system));
  for (const double value : svd.singularValues()) values.push_back(scaled.OfState(value));
  return values;
}

double H2Norm(const DiscreteSystem& system) {
  CheckSystem(system);
  const auto scaled = ScaledSystemOf(system);
  const MatrixXd C = ToEigen(scaled.system.C);
  const double first = (C * ToEigen(scaled.system.B) + ToEigen(scaled.system.D)).stableNorm();
  const double later =
      (C * ToEigen(scaled.system.A) * ControllabilityFactor(scaled.system)).stableNorm();
  return scaled.OfKernel(std::hypot(first, later));
}

double H2Norm(const ContinuousSystem& system) {
  CheckSystem(system);
  const auto scaled = ScaledSystemOf(system);
  const double norm =
      (ToEigen(scaled.system.C) * ControllabilityFactor(scaled.system)).stableNorm();
  const bool direct = (ToEigen(system.D).array() != 0).any();
  return direct ? std::numeric_limits<double>::infinity() : scaled.OfKernel(norm);
}

}  // namespace ssm
