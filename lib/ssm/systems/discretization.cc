#include "ssm/systems/discretization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/eigenvalues.h"
#include "ssm/systems/matrix_exponential.h"

namespace ssm {
namespace {

using Eigen::MatrixXd;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

void RequireSound(std::vector<std::string> faults, double dt) {
  if (!(dt > 0 && std::isfinite(dt))) {
    faults.push_back(fmt::format("dt is {}; it needs to be above 0 and finite", FormatNumber(dt)));
  }
  if (faults.empty()) return;
  Fail(ExitCode::kBadConfig, "The system cannot be discretised: " + Join(faults, "; ") + ".");
}

[[noreturn]] void RefuseOverflow(StepRule rule, double dt, const std::string& growth) {
  Fail(ExitCode::kBadConfig,
       fmt::format("{} with dt = {} leaves the range of double{}; take a smaller dt.", NameOf(rule),
                   FormatNumber(dt), growth));
}

[[noreturn]] void RefuseSingular(StepRule rule, double dt) {
  const bool bilinear = rule == StepRule::kBilinear;
  Fail(ExitCode::kBadConfig,
       fmt::format("{} with dt = {}: I - {} A is singular to working precision, as A has an "
                   "eigenvalue within rounding of {} = {}; take another dt, or zoh.",
                   NameOf(rule), FormatNumber(dt), bilinear ? "dt/2" : "dt",
                   bilinear ? "2/dt" : "1/dt", FormatDigits((bilinear ? 2 : 1) / dt, 4)));
}

double Largest(const Matrix& matrix) {
  double largest = 0;
  for (const double entry : matrix.values) largest = std::max(largest, std::fabs(entry));
  return largest;
}

bool IsLowerTriangular(const Matrix& A) {
  for (int64_t i = 0; i < A.rows; ++i) {
    for (int64_t j = i + 1; j < A.cols; ++j) {
      if (A(i, j) != 0) return false;
    }
  }
  return true;
}

/// The block [[dt A, dt B 2^shift], [0, 0]], whose exponential is [[A_bar, B_bar 2^shift], [0, I]]:
/// B_bar is linear in B, which is brought to the size of dt A, so that a large B does not choose
/// the scaling and a small one does not underflow.
DiscreteSystem ByExponential(const ContinuousSystem& system, double dt) {
  const int64_t n = system.states(), m = system.inputs();
  const double size_a = std::max(dt * Largest(system.A), 1.0), size_b = Largest(system.B);
  if (!std::isfinite(size_a)) RefuseOverflow(StepRule::kZoh, dt, "");
  const int exponent_b = size_b > 0 ? std::ilogb(size_b) : 0, exponent_dt = std::ilogb(dt);
  const int exponent_a = std::ilogb(size_a);
  const double dt_mantissa = std::ldexp(dt, -exponent_dt);
  const int64_t state = IsLowerTriangular(system.A) ? m : 0, input = state > 0 ? 0 : n;
  Matrix block(n + m, n + m);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) block(state + i, state + j) = dt * system.A(i, j);
    for (int64_t j = 0; j < m; ++j) {
      block(state + i, input + j) =
          std::ldexp(dt_mantissa * std::ldexp(system.B(i, j), -exponent_b), exponent_a);
    }
  }
  const Matrix exponential = Exponential(block);
  DiscreteSystem discrete{Matrix(n, n), Matrix(n, m), system.C, system.D};
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) discrete.A(i, j) = exponential(state + i, state + j);
    for (int64_t j = 0; j < m; ++j) {
      discrete.B(i, j) =
          std::ldexp(exponential(state + i, input + j), exponent_dt + exponent_b - exponent_a);
    }
  }
  return discrete;
}

/// (I - step A)^-1 right for a triangular A, whose eigenvalues are seen: zeros stay zeros.
MatrixXd SolveTriangular(const MatrixXd& A, double step, const MatrixXd& right, StepRule rule,
                         double dt) {
  const MatrixXd M = MatrixXd::Identity(A.rows(), A.cols()) - step * A;
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    if (std::fabs(M(i, i)) <= 4 * kEpsilon * (1 + std::fabs(step * A(i, i)))) {
      RefuseSingular(rule, dt);
    }
  }
  if (A.isUpperTriangular(0)) return M.triangularView<Eigen::Upper>().solve(right);
  return M.triangularView<Eigen::Lower>().solve(right);
}

/// (I - step A)^-1 right, for an I - step A that is not singular to working precision: with rows
/// scaled by the size of what was subtracted, a change by a few eps must not make it singular.
/// Stiff systems, whose rows differ by orders of magnitude, pass.
MatrixXd SolveImplicit(const MatrixXd& A, double step, MatrixXd right, StepRule rule, double dt) {
  if (A.isUpperTriangular(0) || A.isLowerTriangular(0)) {
    return SolveTriangular(A, step, right, rule, dt);
  }
  const auto n = A.rows();
  MatrixXd M = MatrixXd::Identity(n, n) - step * A;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double size = 1 + step * A.row(i).cwiseAbs().sum();
    if (!std::isfinite(size)) RefuseOverflow(rule, dt, "");
    const double scale = std::ldexp(1.0, -std::ilogb(size));
    M.row(i) *= scale;
    right.row(i) *= scale;
  }
  const Eigen::PartialPivLU<MatrixXd> lu(M);
  const double distance = lu.rcond() * M.cwiseAbs().colwise().sum().maxCoeff();  // 1 / |M^-1|
  if (!(distance > 4 * static_cast<double>(n) * kEpsilon)) RefuseSingular(rule, dt);
  return lu.solve(right);
}

DiscreteSystem ByRule(const ContinuousSystem& system, double dt, StepRule rule) {
  const MatrixXd A = ToEigen(system.A), B = ToEigen(system.B);
  const MatrixXd one = MatrixXd::Identity(A.rows(), A.cols());
  MatrixXd A_bar, B_bar;
  if (rule == StepRule::kForwardEuler) {
    A_bar = one + dt * A;
    B_bar = dt * B;
  } else {
    const double step = rule == StepRule::kBilinear ? 0.5 * dt : dt;
    MatrixXd right(A.rows(), A.cols() + B.cols());
    right.leftCols(A.cols()) = rule == StepRule::kBilinear ? MatrixXd(one + step * A) : one;
    right.rightCols(B.cols()) = dt * B;
    const MatrixXd both = SolveImplicit(A, step, right, rule, dt);
    A_bar = both.leftCols(A.cols());
    B_bar = both.rightCols(B.cols());
  }
  return {FromEigen(A_bar), FromEigen(B_bar), system.C, system.D};
}

}  // namespace

DiscreteSystem Discretize(const ContinuousSystem& system, double dt, StepRule rule) {
  RequireSound(FaultsOf(system), dt);
  const DiscreteSystem discrete =
      rule == StepRule::kZoh ? ByExponential(system, dt) : ByRule(system, dt, rule);
  if (FaultsOf(discrete).empty()) return discrete;
  const double abscissa = EigenvaluesOf(system.A).Abscissa();
  RefuseOverflow(rule, dt,
                 abscissa > 0 ? fmt::format(": A has a mode that grows by e^{} a unit of time",
                                            FormatDigits(abscissa, 4))
                              : "");
}

DiscreteModalSystem Discretize(const ContinuousModalSystem& system, double dt, StepRule rule) {
  RequireSound(FaultsOf(system), dt);
  DiscreteModalSystem discrete{system};
  const double step = rule == StepRule::kBilinear ? 0.5 * dt : dt;
  const bool implicit = rule == StepRule::kBilinear || rule == StepRule::kBackwardEuler;
  for (size_t i = 0; i < system.modes.size(); ++i) {
    const std::complex<double> lambda = system.modes[i].pole;
    const std::complex<double> z = step * lambda;
    if (implicit && std::abs(1.0 - z) <= 4 * kEpsilon * (1 + std::abs(z))) RefuseSingular(rule, dt);
    discrete.modes[i].pole = MapPole(rule, lambda, dt);
    const std::complex<double> weight = InputWeight(rule, lambda, dt);
    for (int64_t j = 0; j < system.inputs(); ++j) {
      discrete.B(static_cast<int64_t>(i), j) *= weight;
    }
  }
  if (!FaultsOf(discrete).empty()) RefuseOverflow(rule, dt, "");
  return discrete;
}

}  // namespace ssm
