#include "ssm/systems/innovations_model.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/systems/check_system-inl.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"

namespace ssm {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd VectorOf(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

VectorXd RowOf(const Matrix& columns, int64_t k, const std::vector<double>& offset) {
  VectorXd row(columns.cols);
  for (int64_t j = 0; j < columns.cols; ++j)
    row(j) = columns(k, j) - offset[static_cast<size_t>(j)];
  return row;
}

/// Every entry times its row's and its column's factor.
Matrix Times(Matrix matrix, const std::vector<double>& row, const std::vector<double>& col) {
  for (int64_t i = 0; i < matrix.rows; ++i) {
    for (int64_t j = 0; j < matrix.cols; ++j) {
      if (!row.empty()) matrix(i, j) *= row[static_cast<size_t>(i)];
      if (!col.empty()) matrix(i, j) *= col[static_cast<size_t>(j)];
    }
  }
  return matrix;
}

std::vector<double> Inverses(std::vector<double> values) {
  for (double& value : values) value = 1 / value;
  return values;
}

/// The model for u = input_unit u', y = output_unit y', in the offsets as they are.
InnovationsModel InUnits(InnovationsModel model, const std::vector<double>& input_unit,
                         const std::vector<double>& output_unit) {
  const std::vector<double> per_output = Inverses(output_unit);
  model.system.B = Times(model.system.B, {}, input_unit);
  model.system.C = Times(model.system.C, per_output, {});
  model.system.D = Times(model.system.D, per_output, input_unit);
  model.K = Times(model.K, {}, output_unit);
  model.noise = Times(model.noise, per_output, per_output);
  return model;
}

void AddSizeFault(const char* name, size_t found, int64_t wanted,
                  std::vector<std::string>& faults) {
  if (found == static_cast<size_t>(wanted)) return;
  faults.push_back(fmt::format("{} has {} entries; it needs {}", name, found, wanted));
}

void AddShapeFault(const char* name, const Matrix& matrix, int64_t rows, int64_t cols,
                   std::vector<std::string>& faults) {
  if (matrix.rows != rows || matrix.cols != cols) {
    faults.push_back(fmt::format("{} is {} x {}; it needs to be {} x {}", name, matrix.rows,
                                 matrix.cols, rows, cols));
  }
}

}  // namespace

std::vector<std::string> FaultsOf(const InnovationsModel& model) {
  std::vector<std::string> faults = FaultsOf(model.system);
  AddShapeFault("K", model.K, model.states(), model.outputs(), faults);
  AddShapeFault("noise", model.noise, model.outputs(), model.outputs(), faults);
  AddSizeFault("x0", model.x0.size(), model.states(), faults);
  AddSizeFault("input_offset", model.input_offset.size(), model.inputs(), faults);
  AddSizeFault("output_offset", model.output_offset.size(), model.outputs(), faults);
  const std::pair<const char*, const std::vector<double>&> lists[] = {
      {"K", model.K.values},
      {"noise", model.noise.values},
      {"x0", model.x0},
      {"input_offset", model.input_offset},
      {"output_offset", model.output_offset}};
  for (const auto& [name, values] : lists) {
    if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
      faults.push_back(fmt::format("{} has an entry that is not finite", name));
    }
  }
  return faults;
}

InnovationsModel ToScaled(const InnovationsModel& model, const RecordScaling& scaling) {
  InnovationsModel scaled = InUnits(model, scaling.u.scale, scaling.y.scale);
  for (size_t j = 0; j < scaled.input_offset.size(); ++j) {
    scaled.input_offset[j] = (model.input_offset[j] - scaling.u.offset[j]) / scaling.u.scale[j];
  }
  for (size_t j = 0; j < scaled.output_offset.size(); ++j) {
    scaled.output_offset[j] = (model.output_offset[j] - scaling.y.offset[j]) / scaling.y.scale[j];
  }
  return scaled;
}

InnovationsModel FromScaled(const InnovationsModel& model, const RecordScaling& scaling) {
  InnovationsModel plain = InUnits(model, Inverses(scaling.u.scale), Inverses(scaling.y.scale));
  for (size_t j = 0; j < plain.input_offset.size(); ++j) {
    plain.input_offset[j] = scaling.u.offset[j] + scaling.u.scale[j] * model.input_offset[j];
  }
  for (size_t j = 0; j < plain.output_offset.size(); ++j) {
    plain.output_offset[j] = scaling.y.offset[j] + scaling.y.scale[j] * model.output_offset[j];
  }
  return plain;
}

Matrix PredictionErrors(const InnovationsModel& model, const InputOutputRecord& record,
                        const std::vector<double>& x0, int64_t simulate_from) {
  CheckSystem(model);
  SSM_CHECK(record.inputs() == model.inputs() && record.outputs() == model.outputs() &&
                record.u.rows == record.samples() &&
                x0.size() == static_cast<size_t>(model.states()),
            "a record and a start have the model's sizes");
  const MatrixXd A = ToEigen(model.system.A), B = ToEigen(model.system.B);
  const MatrixXd C = ToEigen(model.system.C), D = ToEigen(model.system.D), K = ToEigen(model.K);
  Matrix errors(record.samples(), record.outputs());
  VectorXd x = VectorOf(x0);
  for (int64_t k = 0; k < record.samples(); ++k) {
    const VectorXd u = RowOf(record.u, k, model.input_offset);
    const VectorXd e = RowOf(record.y, k, model.output_offset) - C * x - D * u;
    for (int64_t j = 0; j < errors.cols; ++j) errors(k, j) = e(j);
    VectorXd next = A * x + B * u;
    if (simulate_from < 0 || k < simulate_from) next += K * e;
    x = std::move(next);
  }
  return errors;
}

namespace {

/// x0 and, after it, what to add to the output offset, of the first `used` samples: e_k is linear
/// in both, with de_k/dx0 = -C F^k and de_k/doffset = -1 - C S_k, S_{k+1} = F S_k - K, F = A - K C.
VectorXd BestStart(const InnovationsModel& model, const InputOutputRecord& record, int64_t used,
                   bool with_offset) {
  const int64_t n = model.states(), p = model.outputs(), offsets = with_offset ? p : 0;
  const Matrix errors = PredictionErrors(model, SplitRecord(record, used).first,
                                         std::vector<double>(static_cast<size_t>(n), 0.0));
  const MatrixXd C = ToEigen(model.system.C), K = ToEigen(model.K);
  const MatrixXd F = ToEigen(model.system.A) - K * C;
  MatrixXd seen(used * p, n + offsets), power = C, moved = MatrixXd::Zero(n, p);
  VectorXd known(used * p);
  for (int64_t k = 0; k < used; ++k) {
    seen.middleRows(k * p, p).leftCols(n) = power;
    if (with_offset) {
      seen.middleRows(k * p, p).rightCols(p) = MatrixXd::Identity(p, p) + C * moved;
      moved = F * moved - K;
    }
    for (int64_t j = 0; j < p; ++j) known(k * p + j) = errors(k, j);
    power = power * F;
  }
  return seen.completeOrthogonalDecomposition().solve(known);
}

}  // namespace

std::vector<double> EstimateInitialState(const InnovationsModel& model,
                                         const InputOutputRecord& record, int64_t samples) {
  const int64_t n = model.states();
  const int64_t used = samples < 0 ? record.samples() : std::min(samples, record.samples());
  if (n == 0 || used == 0) return std::vector<double>(static_cast<size_t>(n), 0.0);
  const VectorXd x0 = BestStart(model, record, used, false);
  return {x0.begin(), x0.end()};
}

void EstimateOperatingPoint(const InputOutputRecord& record, InnovationsModel& model) {
  if (record.samples() == 0) return;
  const VectorXd start = BestStart(model, record, record.samples(), true);
  const int64_t n = model.states();
  model.x0.assign(start.begin(), start.begin() + n);
  for (size_t j = 0; j < model.output_offset.size(); ++j) {
    model.output_offset[j] += start(n + static_cast<int64_t>(j));
  }
}

}  // namespace ssm
