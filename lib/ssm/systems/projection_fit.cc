#include "ssm/systems/projection_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/hippo_basis.h"

namespace ssm {
namespace {

using RowMajorMap =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

/// The root of the density at an age.
double RootWeight(const HippoOptions& options, double age) {
  if (options.measure != HippoMeasure::kGeneralLagT) return 1;
  const double power = options.alpha == 0 ? 0 : options.alpha * std::log(age);
  return std::exp(-(power + options.beta * age) / 2);
}

/// The states that a fit can have: all but FouT's sine of no period.
std::vector<Eigen::Index> LiveStates(const HippoOptions& options) {
  std::vector<Eigen::Index> live;
  for (Eigen::Index i = 0; i < options.order; ++i) {
    if (options.measure != HippoMeasure::kFouT || i != 1) live.push_back(i);
  }
  return live;
}

/// min |basis c - values| of rows that come block by block: what is kept of those seen is a
/// triangle R and the right-hand sides turned with it, so the memory does not grow with the rows.
class BlockedLeastSquares {
 public:
  BlockedLeastSquares(int64_t unknowns, int64_t columns)
      : R_(Eigen::MatrixXd::Zero(0, unknowns)), right_(Eigen::MatrixXd::Zero(0, columns)) {}

  void Add(const Eigen::MatrixXd& basis, const Eigen::MatrixXd& values) {
    Eigen::MatrixXd rows(R_.rows() + basis.rows(), basis.cols());
    rows << R_, basis;
    Eigen::MatrixXd right(rows.rows(), values.cols());
    right << right_, values;
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(rows);
    const int64_t kept = std::min(rows.rows(), rows.cols());
    right.applyOnTheLeft(qr.householderQ().adjoint());
    R_ = qr.matrixQR().topRows(kept).triangularView<Eigen::Upper>();
    right_ = right.topRows(kept);
    rows_ += basis.rows();
  }

  /// [unknowns, columns]. @throws Error(kBadConfig) where the rows do not determine it.
  Eigen::MatrixXd Solve() const {
    RequireFullRank();
    return R_.triangularView<Eigen::Upper>().solve(right_);
  }

 private:
  void RequireFullRank() const {
    bool full = R_.rows() == R_.cols();
    if (full) {
      const Eigen::VectorXd diagonal = R_.diagonal().cwiseAbs();
      const double rounding = static_cast<double>(rows_) * std::numeric_limits<double>::epsilon();
      full = diagonal.minCoeff() > rounding * diagonal.maxCoeff();
    }
    if (full) return;
    Fail(ExitCode::kBadConfig,
         fmt::format("{} ages do not determine {} coefficients; give more samples or a lower order",
                     rows_, R_.cols()));
  }

  Eigen::MatrixXd R_, right_;
  int64_t rows_ = 0;
};

}  // namespace

Matrix FitProjection(const HippoOptions& options, std::span<const double> ages,
                     const Matrix& values) {
  constexpr size_t kBlock = 4096;
  SSM_CHECK(values.rows == static_cast<int64_t>(ages.size()), "values are [ages, channels]");
  const std::vector<Eigen::Index> live = LiveStates(options);
  const RowMajorMap all(values.values.data(), values.rows, values.cols);
  BlockedLeastSquares problem(static_cast<int64_t>(live.size()), values.cols);
  for (size_t from = 0; from < ages.size(); from += kBlock) {
    const std::span<const double> block = ages.subspan(from, std::min(kBlock, ages.size() - from));
    const int64_t size = static_cast<int64_t>(block.size());
    Eigen::VectorXd weights(size);
    for (int64_t i = 0; i < size; ++i) weights[i] = RootWeight(options, block[size_t(i)]);
    problem.Add(weights.asDiagonal() * ToEigen(HippoBasis(options, block))(Eigen::all, live),
                weights.asDiagonal() * all.middleRows(static_cast<int64_t>(from), size));
  }
  Eigen::MatrixXd coefficients = Eigen::MatrixXd::Zero(options.order, values.cols);
  coefficients(live, Eigen::all) = problem.Solve();
  return FromEigen(coefficients);
}

}  // namespace ssm
