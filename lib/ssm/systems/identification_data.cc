#include "ssm/systems/identification_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

/// Covariances hold squares of products of values.
constexpr double kMostSize = 1e100;

void AddColumnFaults(const char* name, const Matrix& columns, std::vector<std::string>& faults) {
  for (int64_t j = 0; j < columns.cols; ++j) {
    bool changes = false, finite = true;
    double largest = 0;
    for (int64_t k = 0; k < columns.rows && finite; ++k) {
      finite = std::isfinite(columns(k, j));
      changes = changes || columns(k, j) != columns(0, j);
      largest = std::max(largest, std::abs(columns(k, j)));
      if (!finite) {
        faults.push_back(
            fmt::format("{} {} is {} at sample {}; every value needs to be finite: cut "
                        "the record where values are missing",
                        name, j, columns(k, j), k));
      }
    }
    if (finite && largest > 0 && (largest > kMostSize || largest < 1 / kMostSize)) {
      faults.push_back(
          fmt::format("{} {} has values up to {:g}; their squares leave the range of a double: use "
                      "other units, between {:g} and {:g}",
                      name, j, largest, 1 / kMostSize, kMostSize));
    }
    if (finite && !changes && columns.rows > 0) {
      faults.push_back(
          fmt::format("{} {} is {} at every sample; it needs to change", name, j, columns(0, j)));
    }
  }
}

Matrix Rows(const Matrix& columns, int64_t from, int64_t to) {
  Matrix rows(to - from, columns.cols);
  std::copy(columns.values.begin() + from * columns.cols,
            columns.values.begin() + to * columns.cols, rows.values.begin());
  return rows;
}

double MeanOf(const Matrix& columns, int64_t j) {
  double sum = 0;
  for (int64_t k = 0; k < columns.rows; ++k)
    sum += columns(k, j) / static_cast<double>(columns.rows);
  return sum;
}

Matrix ColumnsWithoutTrend(Matrix columns) {
  const auto samples = static_cast<double>(columns.rows);
  for (int64_t j = 0; j < columns.cols; ++j) {
    const double mean = MeanOf(columns, j);
    double along = 0, squares = 0;
    for (int64_t k = 0; k < columns.rows; ++k) {
      const double time = static_cast<double>(k) - 0.5 * (samples - 1);
      along += time * (columns(k, j) - mean);
      squares += time * time;
    }
    const double slope = squares > 0 ? along / squares : 0;
    for (int64_t k = 0; k < columns.rows; ++k) {
      columns(k, j) -= mean + slope * (static_cast<double>(k) - 0.5 * (samples - 1));
    }
  }
  return columns;
}

ColumnScaling ScalingOfColumns(const Matrix& columns, Offsets offsets) {
  ColumnScaling scaling;
  for (int64_t j = 0; j < columns.cols; ++j) {
    const double offset = offsets == Offsets::kMean ? MeanOf(columns, j) : 0;
    double norm = 0;  // hypot: values near the ends of a double's range neither vanish nor overflow
    for (int64_t k = 0; k < columns.rows; ++k) norm = std::hypot(norm, columns(k, j) - offset);
    const double spread =
        columns.rows > 0 ? norm / std::sqrt(static_cast<double>(columns.rows)) : 0;
    scaling.offset.push_back(offset);
    scaling.scale.push_back(spread > 0 ? spread : 1);
  }
  return scaling;
}

}  // namespace

std::vector<std::string> FaultsOf(const InputOutputRecord& record) {
  std::vector<std::string> faults;
  if (record.u.rows != record.y.rows) {
    faults.push_back(fmt::format("{} samples of inputs, but {} of outputs; both need one length",
                                 record.u.rows, record.y.rows));
  }
  if (record.inputs() == 0) faults.emplace_back("no input; at least one column is needed");
  if (record.outputs() == 0) faults.emplace_back("no output; at least one column is needed");
  AddColumnFaults("input", record.u, faults);
  AddColumnFaults("output", record.y, faults);
  return faults;
}

std::pair<InputOutputRecord, InputOutputRecord> SplitRecord(const InputOutputRecord& record,
                                                            int64_t samples) {
  const int64_t all = record.samples();
  SSM_CHECK(record.u.rows == all && samples >= 0 && samples <= all, "a record is split inside");
  return {{Rows(record.u, 0, samples), Rows(record.y, 0, samples)},
          {Rows(record.u, samples, all), Rows(record.y, samples, all)}};
}

InputOutputRecord WithoutTrend(const InputOutputRecord& record) {
  return {ColumnsWithoutTrend(record.u), ColumnsWithoutTrend(record.y)};
}

Matrix ColumnScaling::Apply(const Matrix& columns) const {
  Matrix scaled = columns;
  for (int64_t k = 0; k < columns.rows; ++k) {
    for (int64_t j = 0; j < columns.cols; ++j) {
      const auto i = static_cast<size_t>(j);
      scaled(k, j) = (columns(k, j) - offset[i]) / scale[i];
    }
  }
  return scaled;
}

RecordScaling ScalingOf(const InputOutputRecord& record, Offsets offsets) {
  return {ScalingOfColumns(record.u, offsets), ScalingOfColumns(record.y, offsets)};
}

}  // namespace ssm
