#include "ssm/systems/modal_form.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/systems/balance.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"

namespace ssm {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;

template <class System>
void RequireSound(const System& system) {
  const std::vector<std::string> faults = FaultsOf(system);
  if (faults.empty()) return;
  Fail(ExitCode::kBadConfig,
       "The system cannot be brought to another form: " + Join(faults, "; ") + ".");
}

/// Columns of length 1, pairs side by side with the one above the real axis first.
struct Eigenvectors {
  Eigen::VectorXcd values;
  MatrixXcd vectors;

  explicit Eigenvectors(const Matrix& A) {
    if (A.rows == 0) return;
    const MatrixXd dense = ToEigen(A);
    if (dense == dense.transpose()) {  // repeated values have orthogonal vectors too
      const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(dense);
      values = solver.eigenvalues().cast<Complex>();
      vectors = solver.eigenvectors().cast<Complex>();
      return;
    }
    const BalancedMatrix balanced = Balance(A);
    const Eigen::EigenSolver<MatrixXd> solver(ToEigen(balanced.matrix));
    if (solver.info() != Eigen::Success) {
      Fail(ExitCode::kBadConfig, "The eigenvectors of A did not converge; keep the dense system.");
    }
    values = solver.eigenvalues();
    vectors = solver.eigenvectors();
    for (Eigen::Index i = 0; i < vectors.rows(); ++i) {
      vectors.row(i) *= std::ldexp(1.0, balanced.exponents[static_cast<size_t>(i)]);
    }
    vectors.colwise().normalize();
  }

  double Condition() const {
    if (values.size() == 0) return 1;
    const Eigen::VectorXd singular = Eigen::BDCSVD<MatrixXcd>(vectors).singularValues();
    return singular.maxCoeff() / singular.minCoeff();
  }
};

template <class Modal, class Dense>
ModalForm<Modal> Diagonalised(const Dense& system) {
  RequireSound(system);
  const Eigenvectors eigen(system.A);
  const double condition = eigen.Condition();
  if (!(condition <= kMostModalCondition)) {
    Fail(ExitCode::kBadConfig,
         fmt::format("A is defective or close to it: its eigenvectors have condition {:.1e}, and a "
                     "modal form keeps the kernel to 1e-10 up to {} only; keep the dense system.",
                     condition, FormatNumber(kMostModalCondition)));
  }
  const MatrixXd write = ToEigen(system.B), read = ToEigen(system.C);
  MatrixXcd B = write;
  if (B.size() > 0) B = eigen.vectors.partialPivLu().solve(B).eval();
  const MatrixXcd C = read * eigen.vectors;
  std::vector<Eigen::Index> kept;
  for (Eigen::Index i = 0; i < eigen.values.size(); ++i) {
    if (eigen.values[i].imag() >= 0) kept.push_back(i);
  }
  ModalForm<Modal> form;
  form.condition = condition;
  form.system.D = system.D;
  form.system.B = ComplexMatrix(static_cast<int64_t>(kept.size()), system.inputs());
  form.system.C = ComplexMatrix(system.outputs(), static_cast<int64_t>(kept.size()));
  for (size_t k = 0; k < kept.size(); ++k) {
    const Complex pole = eigen.values[kept[k]];
    const bool pair = pole.imag() > 0;
    form.system.modes.push_back({pole, pair});
    // A real mode's imaginary parts are rounding of the solve.
    const auto entry = [pair](Complex z) { return pair ? z : Complex(z.real()); };
    const auto mode = static_cast<int64_t>(k);
    for (int64_t j = 0; j < system.inputs(); ++j) form.system.B(mode, j) = entry(B(kept[k], j));
    for (int64_t j = 0; j < system.outputs(); ++j) form.system.C(j, mode) = entry(C(j, kept[k]));
  }
  return form;
}

template <class Dense>
Dense InBlocks(const ModalMatrices& modal) {
  RequireSound(modal);
  const int64_t n = modal.states(), m = modal.inputs(), p = modal.outputs();
  Dense dense{Matrix(n, n), Matrix(n, m), Matrix(p, n), modal.D};
  int64_t at = 0;
  for (size_t i = 0; i < modal.modes.size(); ++i) {
    const auto mode = static_cast<int64_t>(i);
    const Complex pole = modal.modes[i].pole;
    dense.A(at, at) = pole.real();
    for (int64_t j = 0; j < m; ++j) dense.B(at, j) = modal.B(mode, j).real();
    const double weight = modal.modes[i].pair ? 2 : 1;
    for (int64_t j = 0; j < p; ++j) dense.C(j, at) = weight * modal.C(j, mode).real();
    ++at;
    if (!modal.modes[i].pair) continue;
    dense.A(at - 1, at) = -pole.imag();
    dense.A(at, at - 1) = pole.imag();
    dense.A(at, at) = pole.real();
    for (int64_t j = 0; j < m; ++j) dense.B(at, j) = modal.B(mode, j).imag();
    for (int64_t j = 0; j < p; ++j) dense.C(j, at) = -weight * modal.C(j, mode).imag();
    ++at;
  }
  return dense;
}

}  // namespace

ModalForm<ContinuousModalSystem> ModalFormOf(const ContinuousSystem& system) {
  return Diagonalised<ContinuousModalSystem>(system);
}

ModalForm<DiscreteModalSystem> ModalFormOf(const DiscreteSystem& system) {
  return Diagonalised<DiscreteModalSystem>(system);
}

ContinuousSystem DenseFormOf(const ContinuousModalSystem& system) {
  return InBlocks<ContinuousSystem>(system);
}

DiscreteSystem DenseFormOf(const DiscreteModalSystem& system) {
  return InBlocks<DiscreteSystem>(system);
}

}  // namespace ssm
