// A recording cut by time into training, validation and test, with the statistics of training.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ssm/tasks/task.h"

namespace ssm {

/// What of a file is used, and how.
struct SeriesSource {
  std::string path;
  std::vector<std::string> columns;  // by name or number; empty: all but the time column
  std::string time_column;           // empty: none
  std::vector<std::string> angles;   // columns in radians whose jumps by 2 pi are undone
  int64_t horizon = 1;               // rows ahead
  int64_t context = 64;              // rows of a window
  double train = 0.6, validation = 0.15;
};

/// Mean and standard deviation over the observed rows of training; a constant has deviation 1.
struct SeriesScale {
  double mean = 0, deviation = 1;
  double Apply(double value) const { return (value - mean) / deviation; }
};

/// Rows [begin, end).
struct SeriesPart {
  int64_t begin = 0, end = 0;
  int64_t rows() const { return end - begin; }
};

struct SeriesData {
  std::vector<std::string> names;  // [C]
  Array<double> values;            // [rows, C], angles unwrapped; NaN where missing
  std::vector<bool> missing;       // [C] whether any value of the column is
  std::vector<double> time;        // [rows], or empty
  double interval = 0;             // median time between rows, 0 without times
  double ahead_time = 1;  // that `horizon` training rows take, without breaks, in intervals
  int64_t horizon = 1;
  std::vector<SeriesScale> value;         // of x_t
  std::vector<SeriesScale> change;        // of (x_t - x_{t-1}) / Between(t-1, t)
  std::vector<SeriesScale> change_ahead;  // of x_{t+horizon} - x_t
  std::array<SeriesPart, 3> parts;        // by Split: training, validation, test

  int64_t rows() const { return values.shape()[0]; }
  int64_t columns() const { return static_cast<int64_t>(names.size()); }
  double at(int64_t row, int64_t column) const { return values[row * columns() + column]; }
  /// Time from one row to another: in intervals where times are known, else in rows.
  double Between(int64_t from, int64_t to) const;
  bool any_missing() const;
  const SeriesPart& part(Split split) const { return parts[static_cast<size_t>(split)]; }
  /// Standard deviation over a part of what is forecast of a column, in the column's unit.
  double TargetDeviation(const SeriesPart& part, int64_t column, bool as_change) const;
  /// Variance over a part of what is forecast, in units of its training deviation, per column.
  std::vector<double> TargetVariance(const SeriesPart& part, bool as_change) const;
};

/// Training, validation and test: the first `train` of the rows, the next `validation` of them and
/// the rest, with `gap` rows between two parts in neither. A part may hold less than nothing.
std::array<SeriesPart, 3> CutByTime(int64_t rows, double train, double validation, int64_t gap);

/// Reads and cuts. `horizon` rows between two parts belong to neither, and no window leaves its
/// part, so nothing seen or asked in one is seen or asked in another.
/// @throws Error(kMissingInput), Error(kBadData) for what is wrong with the file (times that do not
///         increase, a column without two values in training), Error(kBadConfig) for what does not
///         fit it (no such column, parts shorter than a window).
SeriesData ReadSeries(const SeriesSource& source);

}  // namespace ssm
