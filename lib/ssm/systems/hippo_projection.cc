#include "ssm/systems/hippo_projection.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <utility>

#include "ssm/base/errors.h"
#include "ssm/systems/discretization.h"

namespace ssm {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const RowMajor> View(const Matrix& m) { return {m.values.data(), m.rows, m.cols}; }

}  // namespace

HippoProjection::HippoProjection(const HippoOptions& options, int64_t channels, StepRule rule,
                                 double dt) {
  const HippoPair pair = MakeHippo(options);
  SSM_CHECK(channels >= 1, "a projection has a channel");
  if (!(dt > 0) || !std::isfinite(dt)) {
    Fail(ExitCode::kBadConfig,
         fmt::format("HiPPO {}: dt is {}; it is above 0 and finite", NameOf(options.measure), dt));
  }
  const ContinuousSystem system{pair.A, pair.B, Matrix(0, options.order), Matrix(0, 1)};
  DiscreteSystem discrete = Discretize(system, dt, rule);
  discrete_ = {std::move(discrete.A), std::move(discrete.B)};
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
