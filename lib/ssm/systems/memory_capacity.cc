#include "ssm/systems/memory_capacity.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ssm/base/errors.h"
#include "ssm/systems/check_system-inl.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/scaled_system.h"
#include "ssm/systems/stable_factor-inl.h"

namespace ssm {
namespace {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

/// States in units of their own spread, so that a small one is not taken for one never reached.
void ScaleStates(MatrixXd& A, MatrixXd& B) {
  BalanceStates(A, B);
  const VectorXd spread = GramianFactor(A, B, SystemTime::kDiscrete).rowwise().norm();
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    if (!(spread(i) > 0)) continue;
    // A power of two: scaling rounds nothing.
    const double unit = std::exp2(std::round(std::log2(spread(i))));
    A.row(i) /= unit;
    B.row(i) /= unit;
    A.col(i) *= unit;
  }
}

/// The sections of the states that inputs reach.
std::vector<WhiteSection> ReachedSections(MatrixXd A, MatrixXd B) {
  std::vector<WhiteSection> sections;
  if (A.rows() == 0) return sections;
  ScaleStates(A, B);
  const ComplexSchurForm schur = SchurOf(A);
  RequireStable(schur.T, SystemTime::kDiscrete, "a memory capacity");
  sections = WhiteSections(schur.T, schur.Q.adjoint() * B, RowErrors(schur.T, schur.Q, A, B));
  std::erase_if(sections, [](const WhiteSection& section) { return !section.reached; });
  return sections;
}

/// by_lag's column of one input: the energies of all sections' states after an impulse.
void FillFromSections(const std::vector<WhiteSection>& sections, int64_t input, Matrix& by_lag) {
  std::vector<MatrixXcd> onward;
  for (const WhiteSection& section : sections) {
    VectorXcd q(by_lag.cols + 1);
    q << section.gain, std::conj(section.pole);
    onward.push_back(UnitComplement(q).adjoint());
  }
  std::vector<std::complex<double>> z(sections.size());
  VectorXcd wide(by_lag.cols + 1);
  for (int64_t lag = 0; lag < by_lag.rows; ++lag) {
    VectorXcd v = VectorXcd::Zero(by_lag.cols);
    if (lag == 0) v(input) = 1;
    for (size_t i = 0; i < sections.size(); ++i) {
      wide << v, z[i];
      z[i] = sections[i].pole * z[i] + sections[i].gain.dot(v);
      v = onward[i] * wide;
      by_lag(lag, input) += std::norm(z[i]);
    }
  }
}

MemoryCapacity WithNoise(const MatrixXd& A, const MatrixXd& B, double noise, Matrix by_lag) {
  MemoryCapacity capacity{std::move(by_lag), 0};
  if (A.rows() == 0) return capacity;
  const Eigen::JacobiSVD<MatrixXd> svd(GramianFactor(A, B, SystemTime::kDiscrete),
                                       Eigen::ComputeFullU);
  const VectorXd size = svd.singularValues();
  VectorXd weight(size.size());
  for (Eigen::Index i = 0; i < size.size(); ++i) {
    weight(i) = 1 / std::hypot(size(i), noise);
    const double share = size(i) * weight(i);
    capacity.total += share * share;
  }
  MatrixXd g = B;
  for (int64_t lag = 0; lag < capacity.by_lag.rows; ++lag) {
    const MatrixXd seen = weight.asDiagonal() * (svd.matrixU().transpose() * g);
    for (int64_t j = 0; j < capacity.by_lag.cols; ++j) {
      capacity.by_lag(lag, j) = seen.col(j).squaredNorm();
    }
    g = A * g;
  }
  return capacity;
}

}  // namespace

MemoryCapacity MemoryCapacityOf(const DiscreteSystem& system, int64_t lags, double noise) {
  SSM_CHECK(lags >= 0 && noise >= 0, "lags and noise of a memory capacity are not negative");
  CheckSystem(system);
  Matrix unit = system.B;
  const int exponent = ScaleToRange(unit);  // recall does not depend on the scale of B and noise
  const MatrixXd A = ToEigen(system.A), B = ToEigen(unit);
  Matrix by_lag(lags, system.inputs());
  if (noise > 0) {
    const double scaled = std::ldexp(noise, -exponent);
    return WithNoise(A, B, std::max(scaled, std::numeric_limits<double>::min()), std::move(by_lag));
  }
  const std::vector<WhiteSection> sections = ReachedSections(A, B);
  for (int64_t j = 0; j < system.inputs(); ++j) FillFromSections(sections, j, by_lag);
  return {std::move(by_lag), static_cast<double>(sections.size())};
}

}  // namespace ssm
