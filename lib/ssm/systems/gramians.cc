#include "ssm/systems/gramians.h"

#include <cmath>
#include <limits>

#include "ssm/systems/check_system-inl.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"
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
  const MatrixXd product = ObservabilityFactor(system).transpose() * ControllabilityFactor(system);
  const Eigen::VectorXd values = Eigen::JacobiSVD<MatrixXd>(product).singularValues();
  return {values.begin(), values.end()};
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

double H2Norm(const DiscreteSystem& system) {
  CheckSystem(system);
  const MatrixXd C = ToEigen(system.C);
  const double first = (C * ToEigen(system.B) + ToEigen(system.D)).norm();
  const double later = (C * ToEigen(system.A) * ControllabilityFactor(system)).norm();
  return std::hypot(first, later);
}

double H2Norm(const ContinuousSystem& system) {
  CheckSystem(system);
  const double norm = (ToEigen(system.C) * ControllabilityFactor(system)).norm();
  const bool direct = ToEigen(system.D).norm() > 0;
  return direct ? std::numeric_limits<double>::infinity() : norm;
}

}  // namespace ssm
