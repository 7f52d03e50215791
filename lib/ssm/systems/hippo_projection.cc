#include "ssm/systems/hippo_projection.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
#include <unsupported/Eigen/MatrixFunctions>
#include <utility>

#include "ssm/base/errors.h"
#include "ssm/systems/eigen_matrix-inl.h"

namespace ssm {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const RowMajor> View(const Matrix& m) { return {m.values.data(), m.rows, m.cols}; }

/// exp([A B; 0 0] dt) needs no inverse of A, which is singular for FouT.
HippoPair Exact(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, double dt) {
  const int64_t n = A.rows();
  Eigen::MatrixXd block = Eigen::MatrixXd::Zero(n + 1, n + 1);
  block.topLeftCorner(n, n) = dt * A;
  block.topRightCorner(n, 1) = dt * B;
  const Eigen::MatrixXd power = block.exp();
  return {FromEigen(power.topLeftCorner(n, n)), FromEigen(power.topRightCorner(n, 1))};
}

HippoPair Discretise(const HippoPair& pair, HippoRule rule, double dt) {
  const Eigen::MatrixXd A = ToEigen(pair.A), B = ToEigen(pair.B);
  if (rule == HippoRule::kExact) return Exact(A, B, dt);
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(A.rows(), A.cols());
  const double ahead = rule == HippoRule::kForward ? 1 : rule == HippoRule::kBilinear ? 0.5 : 0;
  const Eigen::MatrixXd explicit_part = identity + ahead * dt * A;
  const Eigen::PartialPivLU<Eigen::MatrixXd> implicit_part(identity - (1 - ahead) * dt * A);
  return {FromEigen(implicit_part.solve(explicit_part)), FromEigen(implicit_part.solve(dt * B))};
}

}  // namespace

HippoProjection::HippoProjection(const HippoOptions& options, int64_t channels, HippoRule rule,
                                 double dt) {
  const HippoPair pair = MakeHippo(options);
  SSM_CHECK(channels >= 1, "a projection has a channel");
  if (!(dt > 0) || !std::isfinite(dt)) {
    Fail(ExitCode::kBadConfig,
         fmt::format("HiPPO {}: dt is {}; it is above 0 and finite", NameOf(options.measure), dt));
  }
  discrete_ = Discretise(pair, rule, dt);
  c_ = next_ = Matrix(options.order, channels);
}

void HippoProjection::Step(std::span<const double> sample) {
  SSM_CHECK(static_cast<int64_t>(sample.size()) == c_.cols, "a sample has all channels");
  Eigen::Map<RowMajor> next(next_.values.data(), next_.rows, next_.cols);
  const Eigen::Map<const Eigen::RowVectorXd> f(sample.data(), c_.cols);
  next.noalias() = View(discrete_.A) * View(c_);
  next.noalias() += View(discrete_.B) * f;
  std::swap(c_, next_);
}

}  // namespace ssm
