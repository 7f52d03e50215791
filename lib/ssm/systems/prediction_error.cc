#include "ssm/systems/prediction_error.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/predictor_parameters-inl.h"
#include "ssm/systems/riccati.h"

namespace ssm {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kMostRadius = 1 - 1e-9;  // of a predictor that forgets its start

VectorXd VectorOf(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// In units of the record's spread, with the outputs' offset as an unknown.
PredictorParameters ParametersOf(const InnovationsModel& model) {
  return {ToEigen(model.system.A),      ToEigen(model.system.B), ToEigen(model.K),
          ToEigen(model.system.C),      ToEigen(model.system.D), VectorOf(model.x0),
          VectorOf(model.output_offset)};
}

void StabilisePredictor(PredictorParameters& q) {
  if (q.PredictorRadius() < kMostRadius) return;
  const Eigen::Index n = q.A.rows(), p = q.C.rows();
  q.K = ToEigen(SolveFilterRiccati(FromEigen(q.A), FromEigen(q.C), Matrix::Identity(n),
                                   Matrix::Identity(p), Matrix(n, p))
                    .K);
}

/// K = 0, with the x0 that suits it.
void RemoveNoiseModel(PredictorParameters& q, const MatrixXd& u, const MatrixXd& y) {
  q.K.setZero();
  const double radius = q.PredictorRadius();
  if (!(radius < kMostRadius)) {
    Fail(
        ExitCode::kBadData,
        fmt::format("the model to start from has a pole of modulus {:.6g}, so its simulation keeps "
                    "what the start does for ever; refine with a noise model, or start from a "
                    "stable model",
                    radius));
  }
  q.x0.setZero();
  const MatrixXd errors = ErrorsOf(q, u, y);
  MatrixXd seen(y.size(), q.A.rows());
  MatrixXd power = q.C;
  for (Eigen::Index k = 0; k < y.rows(); ++k, power = power * q.A) {
    seen.middleRows(k * y.cols(), y.cols()) = power;
  }
  const VectorXd known = errors.transpose().reshaped();
  q.x0 = seen.completeOrthogonalDecomposition().solve(known);
}

MatrixXd CovarianceOf(const MatrixXd& errors) {
  return errors.transpose() * errors / static_cast<double>(errors.rows());
}

/// A covariance kept away from singular (outputs that are one signal, a record without noise):
/// outputs have variance 1.
MatrixXd Regular(const MatrixXd& covariance) {
  const Eigen::Index p = covariance.rows();
  const double floor = 1e-14 * covariance.trace() + 1e-30;
  return covariance + floor * MatrixXd::Identity(p, p);
}

/// W with W^T W the inverse of a covariance.
MatrixXd WhiteningOf(const MatrixXd& covariance) {
  const Eigen::LLT<MatrixXd> factor(Regular(covariance));
  return factor.matrixL().solve(MatrixXd::Identity(covariance.rows(), covariance.cols()));
}

double LogDeterminant(const MatrixXd& covariance) {
  return 2 * Regular(covariance).llt().matrixLLT().diagonal().array().log().sum();
}

/// One Levenberg-Marquardt descent of the weighted sum of squares.
class Descent {
 public:
  Descent(const MatrixXd& u, const MatrixXd& y, const PredictionErrorOptions& options)
      : u_(u), y_(y), options_(options) {}

  /// Lowers sum |weight e_k|^2; whether it came to rest.
  bool Run(const MatrixXd& weight, PredictorParameters& q, int64_t& steps) {
    double loss = LossOf(q, weight);
    while (steps < options_.most_steps) {
      const MatrixXd directions =
          DirectionsThatMatter(q, {!options_.estimate_noise_model, !options_.estimate_offset});
      const TriangularLeastSquares linear = Linearised(q, u_, y_, directions, weight);
      const double lower = Step(linear, directions, weight, loss, q);
      if (!(lower < loss)) return true;
      const double gain = loss - lower;
      loss = lower;
      ++steps;
      if (gain <= options_.tolerance * loss || loss <= kExact) return true;
    }
    return false;
  }

 private:
  static constexpr double kExact = 1e-28;  // a mean square of rounding, where y has variance 1

  double LossOf(const PredictorParameters& q, const MatrixXd& weight) const {
    if (!(q.PredictorRadius() < kMostRadius)) return std::numeric_limits<double>::infinity();
    const double loss =
        (ErrorsOf(q, u_, y_) * weight.transpose()).squaredNorm() / static_cast<double>(y_.rows());
    return std::isfinite(loss) ? loss : std::numeric_limits<double>::infinity();
  }

  /// Moves q by the first damped step that lowers the loss, and returns the loss; q stays where
  /// none does.
  double Step(const TriangularLeastSquares& linear, const MatrixXd& directions,
              const MatrixXd& weight, double loss, PredictorParameters& q) {
    const Eigen::JacobiSVD<MatrixXd> svd(linear.R, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const VectorXd sizes = svd.singularValues();
    const VectorXd along = svd.matrixU().transpose() * linear.z;
    for (; damping_ < kMostDamping; damping_ *= 8) {
      const double damped = damping_ * sizes(0) * sizes(0);
      const VectorXd scaled =
          (along.array() * sizes.array() / (sizes.array().square() + damped)).matrix();
      const PredictorParameters moved = q.Plus(-directions * (svd.matrixV() * scaled));
      const double lower = LossOf(moved, weight);
      if (lower < loss) {
        q = moved;
        damping_ = std::max(damping_ / 16, kLeastDamping);
        return lower;
      }
    }
    damping_ = kFirstDamping;
    return loss;
  }

  static constexpr double kFirstDamping = 1e-4, kLeastDamping = 1e-15, kMostDamping = 1e8;

  const MatrixXd& u_;
  const MatrixXd& y_;
  const PredictionErrorOptions& options_;
  double damping_ = kFirstDamping;
};

void RequireEnough(const InputOutputRecord& record, const InnovationsModel& start) {
  std::vector<std::string> faults = FaultsOf(record);
  for (std::string& fault : FaultsOf(start)) faults.push_back("the model to start from: " + fault);
  if (faults.empty() &&
      (record.inputs() != start.inputs() || record.outputs() != start.outputs())) {
    faults.push_back(fmt::format("the record has {} inputs and {} outputs, but the model {} and {}",
                                 record.inputs(), record.outputs(), start.inputs(),
                                 start.outputs()));
  }
  const int64_t n = start.states(), m = start.inputs(), p = start.outputs();
  const int64_t unknowns = n * m + 2 * n * p + p * m + n + p;
  if (faults.empty() && record.samples() * p <= unknowns) {
    faults.push_back(
        fmt::format("the record has {} output values, but a model of order {} with {} "
                    "inputs and {} outputs has {} unknowns; take a longer record or a "
                    "lower order",
                    record.samples() * p, n, m, p, unknowns));
  }
  if (!faults.empty()) Fail(ExitCode::kBadData, Join(faults, "\n"));
}

}  // namespace

PredictionErrorResult RefineByPredictionError(const InputOutputRecord& record,
                                              const InnovationsModel& start,
                                              const PredictionErrorOptions& options) {
  RequireEnough(record, start);
  // Measured from the model's own offsets, in units of the record's spread.
  RecordScaling scaling = ScalingOf(record, Offsets::kMean);
  scaling.u.offset = start.input_offset;
  scaling.y.offset = start.output_offset;
  InnovationsModel model = ToScaled(start, scaling);
  const MatrixXd u = ToEigen(scaling.u.Apply(record.u)), y = ToEigen(scaling.y.Apply(record.y));

  PredictorParameters q = ParametersOf(model);
  if (options.estimate_noise_model) {
    StabilisePredictor(q);
  } else {
    RemoveNoiseModel(q, u, y);
  }
  double log_units = 0;
  for (const double scale : scaling.y.scale) log_units += 2 * std::log(scale);
  PredictionErrorResult result;
  MatrixXd covariance = CovarianceOf(ErrorsOf(q, u, y));
  result.loss_before = LogDeterminant(covariance) + log_units;
  // With one output the weight is a mere factor; with more it follows the errors' covariance.
  const int rounds = y.cols() == 1 ? 1 : 5;
  Descent descent(u, y, options);
  for (int round = 0; round < rounds; ++round) {
    const MatrixXd weight =
        rounds == 1 ? MatrixXd::Identity(1, 1) : MatrixXd(WhiteningOf(covariance));
    const int64_t before = result.steps;
    result.converged = descent.Run(weight, q, result.steps);
    covariance = CovarianceOf(ErrorsOf(q, u, y));
    if (result.steps == before) break;
  }
  result.loss_after = LogDeterminant(covariance) + log_units;

  model.system = {FromEigen(q.A), FromEigen(q.B), FromEigen(q.C), FromEigen(q.D)};
  model.K = FromEigen(q.K);
  model.noise = FromEigen(covariance);
  model.x0.assign(q.x0.begin(), q.x0.end());
  model.output_offset.assign(q.offset.begin(), q.offset.end());
  result.model = FromScaled(model, scaling);
  return result;
}

}  // namespace ssm
