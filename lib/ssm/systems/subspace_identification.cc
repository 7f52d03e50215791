#include "ssm/systems/subspace_identification.h"

#include <fmt/format.h>

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/riccati.h"
#include "ssm/systems/subspace_factor-inl.h"

namespace ssm {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int64_t kMostBlockRows = 30;
constexpr double kRounding = 1e-12;  // see RoundingOf

/// Block rows of past and future that `order` needs: the shifted observability matrix has
/// p (block_rows - 1) rows, at least `order` of them. One more for a gap to be seen.
int64_t LeastBlockRows(int64_t order, int64_t outputs) {
  return order == 0 ? 3 : (order + outputs - 1) / outputs + 1;
}

/// The samples that windows of `block_rows` need: as many windows as they have rows.
int64_t LeastSamples(int64_t block_rows, const InputOutputRecord& record) {
  return 2 * block_rows * (record.inputs() + record.outputs() + 1) - 1;
}

int64_t ChooseBlockRows(const InputOutputRecord& record, const SubspaceOptions& options) {
  const int64_t least = LeastBlockRows(options.order, record.outputs());
  if (options.block_rows > 0) {
    if (options.block_rows >= least) return options.block_rows;
    Fail(ExitCode::kBadConfig,
         fmt::format("{} block rows, but order {} with {} outputs needs at least {}",
                     options.block_rows, options.order, record.outputs(), least));
  }
  // Four times as many windows as rows, where the record has them.
  const int64_t wide = (record.samples() + 1) / (8 * (record.inputs() + record.outputs() + 1));
  return std::clamp(wide, least, std::max(least, kMostBlockRows));
}

void RequireLength(const InputOutputRecord& record, int64_t block_rows) {
  const int64_t samples = LeastSamples(block_rows, record);
  if (record.samples() >= samples) return;
  Fail(ExitCode::kBadData,
       fmt::format("the record has {} samples, but {} inputs and {} outputs in windows of {} block "
                   "rows need at least {}; take a longer record or a lower order",
                   record.samples(), record.inputs(), record.outputs(), block_rows, samples));
}

/// Sets `block_rows` to what the input's excitation allows where they are free.
Excitation RequireExcitation(const Matrix& u, const InputOutputRecord& record,
                             const SubspaceOptions& options, int64_t& block_rows) {
  Excitation excitation = ExcitationOf(u, 2 * block_rows);
  const int64_t least = LeastBlockRows(options.order, record.outputs());
  if (options.block_rows == 0 && excitation.order >= 2 * least) {
    const int64_t possible = std::min(block_rows, excitation.order / 2);
    if (possible < block_rows) excitation = ExcitationOf(u, 2 * possible);
    block_rows = possible;
    return excitation;
  }
  if (excitation.order >= 2 * block_rows) return excitation;
  const int64_t needed = 2 * (options.block_rows == 0 ? least : block_rows);
  Fail(ExitCode::kBadData,
       fmt::format("the input is persistently exciting of order {}, but windows of {} block rows "
                   "need order {} (a constant has order 1, a sinusoid 2, noise any); record an "
                   "input with more frequencies, noise or switches at irregular times",
                   excitation.order, needed / 2, needed));
}

/// Singular values up to this much are rounding: signals have unit spread, so it is absolute too.
double RoundingOf(const std::vector<double>& values) {
  return kRounding * std::max(1.0, values.empty() ? 0.0 : values[0]);
}

/// The weighted projection as U S V^T.
struct Projection {
  MatrixXd vectors;
  VectorXd values;
  // CVA: the outputs' directions and their sizes, by which the projection was divided.
  MatrixXd directions;
  VectorXd sizes;
};

/// The observability matrix of the first `order` directions, its columns in falling size.
MatrixXd ObservabilityOf(const Projection& projection, Eigen::Index order) {
  const MatrixXd seen =
      projection.vectors.leftCols(order) * projection.values.head(order).cwiseSqrt().asDiagonal();
  if (projection.sizes.size() == 0) return seen;
  // Canonical correlations mix directions of all sizes: a triangular factor sorts them again, or
  // the small ones drown.
  const MatrixXd mixed = projection.sizes.asDiagonal() * seen;
  const Eigen::HouseholderQR<MatrixXd> qr(mixed.transpose());
  const MatrixXd sorted =
      MatrixXd(qr.matrixQR().triangularView<Eigen::Upper>()).transpose();  // [rank, order]
  const VectorXd scale = sorted.colwise().norm().cwiseSqrt().cwiseInverse();
  return projection.directions * sorted * scale.asDiagonal();
}

Projection Project(const SubspaceFactor& factor, SubspaceWeighting weighting) {
  const MatrixXd future = factor.WithoutFutureInputs(factor.FutureOutputs());
  MatrixXd past(factor.i * (factor.m + factor.p), factor.L.cols());
  past << factor.PastInputs(), factor.PastOutputs();
  MatrixXd oblique = SolveOnRight(factor.WithoutFutureInputs(past), future) * past;
  if (weighting != SubspaceWeighting::kN4sid) oblique = factor.WithoutFutureInputs(oblique);
  MatrixXd directions;
  VectorXd sizes;
  if (weighting == SubspaceWeighting::kCva) {
    const Eigen::BDCSVD<MatrixXd> spread(future, Eigen::ComputeThinU);
    const VectorXd all = spread.singularValues();
    Eigen::Index rank = 0;
    while (rank < all.size() && all(rank) > 1e-10 * std::max(1.0, all(0))) ++rank;
    if (rank == 0) return {};
    sizes = all.head(rank);
    directions = spread.matrixU().leftCols(rank);
    oblique = sizes.cwiseInverse().asDiagonal() * (directions.transpose() * oblique);
  }
  const Eigen::BDCSVD<MatrixXd> svd(oblique, Eigen::ComputeThinU);
  return {svd.matrixU(), svd.singularValues(), directions, sizes};
}

int64_t ChooseOrder(const std::vector<double>& values, const SubspaceOptions& options,
                    int64_t block_rows, int64_t outputs) {
  const int64_t held = outputs * (block_rows - 1);
  const double rounding = RoundingOf(values);
  const int64_t shown = std::count_if(values.begin(), values.end(),
                                      [rounding](double value) { return value > rounding; });
  if (options.order == 0 && shown > 0) {
    return OrderByGap(values, std::min(options.most_order, held), rounding);
  }
  if (options.order == 0) {
    Fail(
        ExitCode::kBadData,
        "the outputs follow from the inputs of the same sample alone, a gain without memory: there "
        "is no state to identify");
  }
  if (options.order > shown) {
    Fail(ExitCode::kBadData,
         fmt::format("order {} was asked for, but only {} singular values are more than rounding; "
                     "ask for order {} or lower",
                     options.order, shown, shown));
  }
  return options.order;
}

/// K and the covariance of e from the residuals' covariance, whose rounding is floored: a record
/// without noise has K near 0.
void SetNoiseModel(const SubspaceSystem& system, InnovationsModel& model) {
  constexpr double kFloor = 1e-12;  // outputs have variance 1
  const Eigen::Index n = system.A.rows(), p = system.C.rows();
  const MatrixXd Q = system.residual.topLeftCorner(n, n) + kFloor * MatrixXd::Identity(n, n);
  const MatrixXd R = system.residual.bottomRightCorner(p, p) + kFloor * MatrixXd::Identity(p, p);
  const MatrixXd S = system.residual.topRightCorner(n, p);
  const StationaryFilter filter =
      SolveFilterRiccati(model.system.A, model.system.C, FromEigen(Q), FromEigen(R), FromEigen(S));
  model.K = filter.K;
  model.noise = filter.innovation;
}

}  // namespace

int64_t OrderByGap(const std::vector<double>& singular_values, int64_t most, double rounding) {
  const auto at = [&](int64_t k) {
    return std::max(singular_values[static_cast<size_t>(k)], rounding);
  };
  const auto pairs = static_cast<int64_t>(singular_values.size()) - 1;
  int64_t order = 0;
  double widest = 1;
  for (int64_t n = 1; n <= std::min(most, pairs); ++n) {
    const double gap = at(n - 1) / at(n);
    if (gap > widest) {
      widest = gap;
      order = n;
    }
  }
  return order;
}

SubspaceResult IdentifySubspace(const InputOutputRecord& record, const SubspaceOptions& options) {
  const std::vector<std::string> faults = FaultsOf(record);
  if (!faults.empty()) Fail(ExitCode::kBadData, Join(faults, "\n"));
  SSM_CHECK(options.order >= 0 && options.most_order >= 1 && options.block_rows >= 0,
            "orders and block rows of an identification are not negative");
  const RecordScaling scaling = ScalingOf(record, options.offsets);
  const InputOutputRecord scaled{scaling.u.Apply(record.u), scaling.y.Apply(record.y)};
  SubspaceResult result;
  result.block_rows = ChooseBlockRows(record, options);
  RequireLength(record, result.block_rows);
  result.excitation = RequireExcitation(scaled.u, record, options, result.block_rows);

  const bool operating_point = options.offsets == Offsets::kMean;
  const SubspaceFactor factor(ToEigen(scaled.u), ToEigen(scaled.y), result.block_rows,
                              operating_point);
  const Projection projection = Project(factor, options.weighting);
  result.singular_values.assign(projection.values.begin(), projection.values.end());
  // CVA leaves out directions that no output takes.
  result.singular_values.resize(static_cast<size_t>(record.outputs() * result.block_rows), 0.0);
  result.order = ChooseOrder(result.singular_values, options, result.block_rows, record.outputs());
  const MatrixXd seen = ObservabilityOf(projection, result.order);
  const SubspaceSystem system = SystemFromObservability(factor, seen);
  InnovationsModel model;
  model.system = {FromEigen(system.A), FromEigen(system.B), FromEigen(system.C),
                  FromEigen(system.D)};
  model.input_offset.assign(static_cast<size_t>(record.inputs()), 0.0);
  model.output_offset.assign(static_cast<size_t>(record.outputs()), 0.0);
  SetNoiseModel(system, model);
  model.x0.assign(static_cast<size_t>(model.states()), 0.0);
  if (operating_point) {
    EstimateOperatingPoint(scaled, model);
  } else {
    model.x0 = EstimateInitialState(model, scaled);
  }
  result.model = FromScaled(model, scaling);
  return result;
}

}  // namespace ssm
