#include <fmt/format.h>

#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/stable_factor-inl.h"

namespace ssm {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Complex = std::complex<double>;

std::string ComplexText(Complex value) {
  if (value.imag() == 0) return fmt::format("{:.6g}", value.real());
  return fmt::format("{:.6g} {} {:.6g}i", value.real(), value.imag() < 0 ? '-' : '+',
                     std::fabs(value.imag()));
}

ComplexSchurForm SchurOf(const MatrixXd& A) {
  if (A.rows() == 0) return {MatrixXcd(0, 0), MatrixXcd(0, 0)};
  const Eigen::ComplexSchur<MatrixXd> schur(A);
  if (schur.info() != Eigen::Success) {
    Fail(ExitCode::kBadData, "the eigenvalues of A were not found; scale its entries nearer to 1");
  }
  return {schur.matrixT(), schur.matrixU()};
}

void RequireStable(const MatrixXcd& T, SystemTime time, const std::string& what) {
  for (Eigen::Index i = 0; i < T.rows(); ++i) {
    const Complex pole = T(i, i);
    if (time == SystemTime::kDiscrete && !(std::abs(pole) < 1)) {
      Fail(ExitCode::kBadData,
           fmt::format(
               "the system is not stable: its pole {} has modulus {:.6g}, and {} exists only "
               "where every modulus is below 1",
               ComplexText(pole), std::abs(pole), what));
    }
    if (time == SystemTime::kContinuous && !(pole.real() < 0)) {
      Fail(ExitCode::kBadData,
           fmt::format("the system is not stable: its pole {} has real part {:.6g}, and {} exists "
                       "only where every real part is below 0",
                       ComplexText(pole), pole.real(), what));
    }
  }
}

MatrixXcd UnitComplement(const VectorXcd& q) {
  const Eigen::Index last = q.size() - 1;
  const double size = std::abs(q(last));
  const Complex phase = size > 0 ? q(last) / size : Complex(1, 0);
  VectorXcd v = q;
  v(last) += phase;  // away from 0, so no digit is lost
  const MatrixXcd reflection =
      MatrixXcd::Identity(q.size(), q.size()) - (2 / v.squaredNorm()) * v * v.adjoint();
  return reflection.leftCols(last);
}

namespace {

/// What is left of the pair after its last row is taken off; see StableFactor.
struct Step {
  double tau;   // the last diagonal entry of U
  VectorXcd u;  // the column above it
  VectorXcd w;  // discrete: what B is mixed with
  MatrixXcd B;  // for the rows above
  VectorXcd beta;
};

Step DiscreteStep(const MatrixXcd& T, const MatrixXcd& B, Eigen::Index i) {
  const Complex pole = T(i, i);
  const VectorXcd b = B.row(i).adjoint();
  Step step;
  step.tau = b.norm() / std::sqrt((1 - std::abs(pole)) * (1 + std::abs(pole)));
  step.beta = b / step.tau;
  const auto above = T.topLeftCorner(i, i);
  const VectorXcd a = T.col(i).head(i);
  const MatrixXcd shifted = MatrixXcd::Identity(i, i) - std::conj(pole) * above;
  step.u = shifted.triangularView<Eigen::Upper>().solve(
      VectorXcd(step.tau * std::conj(pole) * a + B.topRows(i) * step.beta));
  MatrixXcd wide(i, B.cols() + 1);
  step.w = above * step.u + step.tau * a;
  wide << B.topRows(i), step.w;
  VectorXcd q(B.cols() + 1);
  q << step.beta, std::conj(pole);
  step.B = wide * UnitComplement(q);
  return step;
}

Step ContinuousStep(const MatrixXcd& T, const MatrixXcd& B, Eigen::Index i) {
  const Complex pole = T(i, i);
  const VectorXcd b = B.row(i).adjoint();
  Step step;
  step.tau = b.norm() / std::sqrt(-2 * pole.real());
  step.beta = b / step.tau;
  MatrixXcd shifted = T.topLeftCorner(i, i);
  shifted.diagonal().array() += std::conj(pole);
  step.u = shifted.triangularView<Eigen::Upper>().solve(
      VectorXcd(-step.tau * T.col(i).head(i) - B.topRows(i) * step.beta));
  step.B = B.topRows(i) - step.u * step.beta.adjoint();
  return step;
}

}  // namespace

MatrixXcd StableFactor(const MatrixXcd& T, MatrixXcd B, SystemTime time) {
  const Eigen::Index n = T.rows();
  MatrixXcd U = MatrixXcd::Zero(n, n);
  for (Eigen::Index i = n - 1; i >= 0; --i) {
    if (!(B.row(i).norm() > 0)) {
      B.conservativeResize(i, Eigen::NoChange);
      continue;
    }
    Step step = time == SystemTime::kDiscrete ? DiscreteStep(T, B, i) : ContinuousStep(T, B, i);
    U(i, i) = step.tau;
    U.col(i).head(i) = step.u;
    B = std::move(step.B);
  }
  return U;
}

std::vector<WhiteSection> WhiteSections(const MatrixXcd& T, MatrixXcd B, RowErrors errors) {
  std::vector<WhiteSection> sections;
  for (Eigen::Index i = T.rows() - 1; i >= 0; --i) {
    const double norm = B.row(i).norm();
    if (!(norm > 0) || !errors.IsReal(i, norm)) {
      B.conservativeResize(i, Eigen::NoChange);
      sections.push_back({T(i, i), VectorXcd::Zero(B.cols()), false});
      continue;
    }
    Step step = DiscreteStep(T, B, i);
    errors.Follow(i, B.topRows(i).rowwise().norm(), step.w.cwiseAbs());
    sections.push_back({T(i, i), std::move(step.beta), true});
    B = std::move(step.B);
  }
  return sections;
}

Eigen::VectorXd BalanceStates(MatrixXd& A, MatrixXd& B) {
  const Eigen::Index n = A.rows();
  Eigen::VectorXd units = Eigen::VectorXd::Ones(n);
  constexpr int kMostSweeps = 100;
  bool changed = true;
  for (int sweep = 0; sweep < kMostSweeps && changed; ++sweep) {
    changed = false;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double own = std::abs(A(i, i));
      const double col = A.col(i).lpNorm<1>() - own, row = A.row(i).lpNorm<1>() - own;
      if (!(col > 0 && row > 0)) continue;
      const double unit = std::exp2(std::round(0.5 * std::log2(row / col)));
      if (!(col * unit + row / unit < 0.95 * (col + row))) continue;
      changed = true;
      units(i) *= unit;
      A.col(i) *= unit;
      A.row(i) /= unit;
      B.row(i) /= unit;
    }
  }
  return units;
}

MatrixXd GramianFactor(MatrixXd A, MatrixXd B, SystemTime time) {
  const Eigen::Index n = A.rows();
  if (n == 0) return MatrixXd(0, 0);
  const Eigen::VectorXd units = BalanceStates(A, B);
  const ComplexSchurForm schur = SchurOf(A);
  RequireStable(schur.T, time, "a Gramian");
  MatrixXd narrow = B;
  if (B.cols() > n) {  // B B^T from n columns
    const Eigen::HouseholderQR<MatrixXd> qr(B.transpose());
    narrow = MatrixXd(qr.matrixQR().topRows(n).triangularView<Eigen::Upper>()).transpose();
  }
  const MatrixXcd factor = schur.Q * StableFactor(schur.T, schur.Q.adjoint() * narrow, time);
  MatrixXd both(2 * n, n);  // the product is real, so its parts' squares add up to it
  both << factor.real().transpose(), factor.imag().transpose();
  const Eigen::HouseholderQR<MatrixXd> qr(both);
  const MatrixXd upper = qr.matrixQR().topRows(n).triangularView<Eigen::Upper>();
  return units.asDiagonal() * upper.transpose();
}

}  // namespace ssm
