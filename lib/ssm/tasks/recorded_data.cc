#include "ssm/tasks/recorded_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/kernels/dense_inverse.h"
#include "ssm/tasks/series_data.h"
#include "ssm/tasks/table_columns.h"

namespace ssm {
namespace {

constexpr const char* kParts[] = {"training", "validation", "test"};

struct NamedRecord {
  std::vector<std::string> inputs, outputs;
  InputOutputRecord record;
};

Matrix ColumnsOf(const NamedTable& source, const std::vector<int64_t>& columns,
                 const std::vector<std::string>& names) {
  const Array<double> values = ValuesOf(source, columns);
  Matrix matrix(values.shape()[0], std::ssize(columns));
  for (int64_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      Fail(ExitCode::kBadData,
           fmt::format("{}: column {}, data row {} is missing, but a system answers every row of "
                       "its inputs; cut the record where values are missing",
                       source.path, Quote(names[static_cast<size_t>(i % matrix.cols)]),
                       i / matrix.cols + 1));
    }
    matrix.values[static_cast<size_t>(i)] = values[i];
  }
  return matrix;
}

NamedRecord ReadRecord(const std::string& path, const RecordedSource& source) {
  const Table table = ReadTable(path);
  const NamedTable named{table, path};
  const std::vector<int64_t> inputs = FindColumns(named, source.inputs, "inputs");
  const std::vector<int64_t> outputs = FindColumns(named, source.outputs, "outputs");
  for (const int64_t column : outputs) {
    if (std::find(inputs.begin(), inputs.end(), column) == inputs.end()) continue;
    Fail(ExitCode::kBadConfig,
         fmt::format("{}: task.outputs names {}, which is an input: no column can be both", path,
                     Quote(table.columns[static_cast<size_t>(column)])));
  }
  NamedRecord read{NamesOf(table, inputs), NamesOf(table, outputs), {}};
  read.record = {ColumnsOf(named, inputs, read.inputs), ColumnsOf(named, outputs, read.outputs)};
  return read;
}

void RequireSameNames(const std::vector<std::string>& first, const std::vector<std::string>& test,
                      const RecordedSource& source) {
  for (size_t i = 0; i < first.size(); ++i) {
    if (first[i] == test[i]) continue;
    Fail(ExitCode::kBadData,
         fmt::format("{}: its column {} is {} in {}: both files need the same columns",
                     source.test_path, Quote(test[i]), Quote(first[i]), source.path));
  }
}

void RequireWindows(const std::array<SeriesPart, 3>& parts, const RecordedSource& source) {
  for (size_t i = 0; i < 3; ++i) {
    const int64_t rows = std::max<int64_t>(0, parts[i].rows());
    if (rows >= source.context) continue;
    Fail(ExitCode::kBadConfig,
         fmt::format("{}: the {} part holds {} rows, but a window takes task.context = {}; shorten "
                     "it or change the fractions",
                     i == 2 && !source.test_path.empty() ? source.test_path : source.path,
                     kParts[i], rows, source.context));
  }
}

InputOutputRecord RowsOf(const InputOutputRecord& record, const SeriesPart& part) {
  return SplitRecord(SplitRecord(record, part.end).first, part.begin).second;
}

/// Of every column, about its mean; 0 where it never changes.
std::vector<double> DeviationsOf(const Matrix& columns) {
  std::vector<double> deviations =
      ScalingOf(InputOutputRecord{columns, Matrix(columns.rows, 0)}, Offsets::kMean).u.scale;
  for (int64_t j = 0; j < columns.cols; ++j) {
    bool changes = false;
    for (int64_t k = 1; k < columns.rows; ++k) changes |= columns(k, j) != columns(0, j);
    if (!changes) deviations[static_cast<size_t>(j)] = 0;
  }
  return deviations;
}

/// Nothing can be learned of an input, or measured in an output, that changes by no more than what
/// the rounding of its values leaves.
void RequireChange(const Matrix& columns, const std::vector<std::string>& names, size_t part,
                   const std::string& path, const char* consequence) {
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
  const std::vector<double> deviations = DeviationsOf(columns);
  for (size_t j = 0; j < names.size(); ++j) {
    const double value = columns(0, static_cast<int64_t>(j));
    if (deviations[j] > kRounding * std::abs(value) && std::isfinite(deviations[j])) continue;
    Fail(ExitCode::kBadData,
         fmt::format("{}: column {} has standard deviation {} around {} over the {} part, so {}; "
                     "name another column or change the fractions",
                     path, Quote(names[j]), FormatDigits(deviations[j], 3), FormatDigits(value, 3),
                     kParts[part], consequence));
  }
}

RecordScaling ScalingFor(const InputOutputRecord& training, const RecordedSource& source) {
  RecordScaling scaling = ScalingOf(training, source.offsets);
  if (!source.input_offsets.empty()) scaling.u.offset = source.input_offsets;
  if (!source.output_offsets.empty()) scaling.y.offset = source.output_offsets;
  if (!source.scaled) {
    std::fill(scaling.u.scale.begin(), scaling.u.scale.end(), 1.0);
    std::fill(scaling.y.scale.begin(), scaling.y.scale.end(), 1.0);
  }
  return scaling;
}

/// The least-squares line through training: in inputs of mean 0 and deviation 1.
void FitStaticGain(RecordedData& data) {
  const InputOutputRecord& training = data.parts[0];
  const RecordScaling centre = ScalingOf(training, Offsets::kMean);
  const Matrix u = centre.u.Apply(training.u);
  const int64_t m = u.cols, p = training.outputs(), rows = training.samples();
  constexpr double kRidge = 3e-9;  // copies keep 7 digits, others lose none that count
  Matrix normal(m, m), inverse(m, m), moments(p, m);
  for (int64_t k = 0; k < rows; ++k) {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < m; ++j) normal(i, j) += u(k, i) * u(k, j);
      for (int64_t o = 0; o < p; ++o) {
        moments(o, i) += (training.y(k, o) - centre.y.offset[static_cast<size_t>(o)]) * u(k, i);
      }
    }
  }
  for (int64_t i = 0; i < m; ++i) normal(i, i) += kRidge * static_cast<double>(rows);
  kernels::Invert(m, normal.values.data(), inverse.values.data());
  data.mean = centre.y.offset;
  data.constant = data.mean;
  data.gain = Matrix(p, m);
  for (int64_t o = 0; o < p; ++o) {
    for (int64_t i = 0; i < m; ++i) {
      const auto at = static_cast<size_t>(i);
      for (int64_t j = 0; j < m; ++j) data.gain(o, i) += moments(o, j) * inverse(j, i);
      data.gain(o, i) /= centre.u.scale[at];
      data.constant[static_cast<size_t>(o)] -= data.gain(o, i) * centre.u.offset[at];
    }
  }
}

}  // namespace

RecordedData ReadRecorded(const RecordedSource& source) {
  NamedRecord all = ReadRecord(source.path, source), test;
  std::array<SeriesPart, 3> cut =
      CutByTime(all.record.samples(), source.train, source.validation, 0);
  const bool apart = !source.test_path.empty();
  if (apart) {
    test = ReadRecord(source.test_path, source);
    RequireSameNames(all.inputs, test.inputs, source);
    RequireSameNames(all.outputs, test.outputs, source);
    cut[2] = {0, test.record.samples()};
  }
  RequireWindows(cut, source);
  RecordedData data;
  data.inputs = all.inputs;
  data.outputs = all.outputs;
  for (size_t i = 0; i < 3; ++i) {
    const bool other = apart && i == 2;
    data.parts[i] = RowsOf(other ? test.record : all.record, cut[i]);
    const std::string& path = other ? source.test_path : source.path;
    if (i == 0) RequireChange(data.parts[i].u, all.inputs, i, path, "nothing can be learned of it");
    RequireChange(data.parts[i].y, all.outputs, i, path, "no error can be measured in it");
  }
  data.scaling = ScalingFor(data.parts[0], source);
  for (size_t i = 0; i < 3; ++i) {
    data.parts[i] = {data.scaling.u.Apply(data.parts[i].u), data.scaling.y.Apply(data.parts[i].y)};
    for (const double deviation : DeviationsOf(data.parts[i].y)) {
      data.variance[i].push_back(deviation * deviation);
    }
  }
  FitStaticGain(data);
  return data;
}

}  // namespace ssm
