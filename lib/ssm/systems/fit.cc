#include "ssm/systems/fit.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/pole_distance.h"

namespace ssm {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

int64_t WarmUp(const InnovationsModel& model, const InputOutputRecord& record,
               const FitOptions& options) {
  if (options.warm_up >= 0) return options.warm_up;
  const int64_t most = record.samples() / 4;
  int64_t samples = 10 * model.states();
  for (const std::complex<double> pole : PolesOf(model.system.A)) {
    const double size = std::abs(pole);
    if (size <= 0 || size >= 1) continue;
    const double settled = std::ceil(-1 / std::log(size));
    if (settled >= static_cast<double>(most)) return most;
    samples = std::max(samples, static_cast<int64_t>(settled));
  }
  return std::min(samples, most);
}

Matrix WithoutOffset(const Matrix& columns, const std::vector<double>& offset) {
  return ColumnScaling{offset, std::vector<double>(offset.size(), 1.0)}.Apply(columns);
}

/// The one-step predictor's states x_k, k = 0 .. N - 1, as columns.
MatrixXd PredictorStates(const InnovationsModel& model, const MatrixXd& u, const MatrixXd& errors,
                         const std::vector<double>& x0) {
  const MatrixXd A = ToEigen(model.system.A), B = ToEigen(model.system.B), K = ToEigen(model.K);
  MatrixXd states(A.rows(), u.rows());
  VectorXd x = Eigen::Map<const VectorXd>(x0.data(), A.rows());
  for (Eigen::Index k = 0; k < u.rows(); ++k) {
    states.col(k) = x;
    x = VectorXd(A * x + B * u.row(k).transpose() + K * errors.row(k).transpose());
  }
  return states;
}

}  // namespace

Matrix PredictedOutputs(const InnovationsModel& model, const InputOutputRecord& record,
                        const FitOptions& options) {
  SSM_CHECK(options.horizon >= 0, "a horizon of prediction is not negative");
  std::vector<double> x0(static_cast<size_t>(model.states()), 0.0);
  const int64_t warm_up = WarmUp(model, record, options);
  if (warm_up > 0) x0 = EstimateInitialState(model, record, warm_up);
  const Matrix errors = PredictionErrors(model, record, x0, options.horizon == 0 ? warm_up : -1);
  Matrix outputs = record.y;
  if (options.horizon <= 1) {
    for (size_t i = 0; i < outputs.values.size(); ++i) outputs.values[i] -= errors.values[i];
    return outputs;
  }
  const MatrixXd u = ToEigen(WithoutOffset(record.u, model.input_offset));
  const MatrixXd states = PredictorStates(model, u, ToEigen(errors), x0);
  const MatrixXd A = ToEigen(model.system.A), B = ToEigen(model.system.B);
  const MatrixXd C = ToEigen(model.system.C), D = ToEigen(model.system.D);
  for (Eigen::Index k = 0; k < u.rows(); ++k) {
    const Eigen::Index from = std::max<Eigen::Index>(0, k - options.horizon + 1);
    VectorXd x = states.col(from);
    for (Eigen::Index s = from; s < k; ++s) x = VectorXd(A * x + B * u.row(s).transpose());
    const VectorXd y = C * x + D * u.row(k).transpose();
    for (int64_t j = 0; j < outputs.cols; ++j) {
      outputs(k, j) = y(j) + model.output_offset[static_cast<size_t>(j)];
    }
  }
  return outputs;
}

Fit FitOf(const InnovationsModel& model, const InputOutputRecord& record,
          const FitOptions& options) {
  if (record.inputs() != model.inputs() || record.outputs() != model.outputs()) {
    Fail(ExitCode::kBadData,
         fmt::format("the record has {} inputs and {} outputs, but the model {} and {}",
                     record.inputs(), record.outputs(), model.inputs(), model.outputs()));
  }
  Fit fit;
  fit.warm_up = WarmUp(model, record, options);
  const int64_t scored = record.samples() - fit.warm_up;
  if (scored < 1) {
    Fail(ExitCode::kBadData,
         fmt::format("the record has {} samples, and the first {} set the start: "
                     "none is left to score",
                     record.samples(), fit.warm_up));
  }
  const Matrix outputs = PredictedOutputs(model, record, options);
  for (int64_t j = 0; j < record.outputs(); ++j) {
    double mean = 0, errors = 0, spread = 0;
    for (int64_t k = fit.warm_up; k < record.samples(); ++k) {
      mean += record.y(k, j) / static_cast<double>(scored);
    }
    for (int64_t k = fit.warm_up; k < record.samples(); ++k) {
      errors = std::hypot(errors, record.y(k, j) - outputs(k, j));
      spread = std::hypot(spread, record.y(k, j) - mean);
    }
    if (!(spread > 0)) {
      Fail(ExitCode::kBadData,
           fmt::format("output {} never changes over the {} samples scored, so a fit has no scale",
                       j, scored));
    }
    fit.percent.push_back(100 * (1 - errors / spread));
    fit.rms.push_back(errors / std::sqrt(static_cast<double>(scored)));
  }
  return fit;
}

}  // namespace ssm
