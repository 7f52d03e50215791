#include "ssm/tasks/series_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ssm/base/text.h"
#include "ssm/tasks/table_columns.h"

namespace ssm {
namespace {

constexpr double kPi = 3.14159265358979323846;

std::vector<int64_t> ChooseColumns(const NamedTable& table, const SeriesSource& source) {
  const int64_t time =
      source.time_column.empty() ? -1 : FindColumn(table, source.time_column, "time_column");
  std::vector<int64_t> chosen = FindColumns(table, source.columns, "columns");
  if (!chosen.empty()) return chosen;
  for (int64_t c = 0; c < std::ssize(table.table.columns); ++c) {
    if (c != time) chosen.push_back(c);
  }
  if (chosen.empty()) {
    Fail(ExitCode::kBadData,
         fmt::format("{}: no column is left beside the time column {}; a series needs at least one",
                     source.path, Quote(source.time_column)));
  }
  return chosen;
}

/// Times, checked to increase; empty without a time column.
std::vector<double> ReadTimes(const NamedTable& named, const SeriesSource& source) {
  std::vector<double> times;
  if (source.time_column.empty()) return times;
  const Table& table = named.table;
  const int64_t column = FindColumn(named, source.time_column, "time_column");
  const int64_t columns = std::ssize(table.columns);
  for (int64_t row = 0; row < table.rows(); ++row) {
    const double t = table.values[row * columns + column];
    if (!std::isfinite(t) || (row > 0 && !(t > times.back()))) {
      Fail(
          ExitCode::kBadData,
          fmt::format("{}: time column {}, data row {}: {} after {}, but times must increase; sort "
                      "the rows and remove repeated ones",
                      source.path, Quote(source.time_column), row + 1, FormatNumber(t),
                      row > 0 ? FormatNumber(times.back()) : "nothing"));
    }
    times.push_back(t);
  }
  return times;
}

double Median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

double MedianInterval(const std::vector<double>& times) {
  if (times.size() < 2) return 0;
  std::vector<double> gaps;
  for (size_t i = 1; i < times.size(); ++i) gaps.push_back(times[i] - times[i - 1]);
  return Median(std::move(gaps));
}

/// Adds the multiple of 2 pi that keeps every value within pi of the last one observed.
void Unwrap(SeriesData& data, int64_t column) {
  double last = NAN;
  for (int64_t row = 0; row < data.rows(); ++row) {
    double& value = data.values[row * data.columns() + column];
    if (std::isnan(value)) continue;
    if (!std::isnan(last)) value -= 2 * kPi * std::round((value - last) / (2 * kPi));
    last = value;
  }
}

struct Moments {
  double count = 0, mean = 0, squares = 0;
  void Add(double x) {
    if (std::isnan(x)) return;
    count += 1;
    const double step = x - mean;
    mean += step / count;
    squares += step * (x - mean);
  }
  double variance() const { return count > 0 ? squares / count : 0; }
};

/// On average, without breaks of a recording, which would stretch every forecast.
double TimeAhead(const SeriesData& data, const SeriesPart& part) {
  std::vector<double> spans;
  for (int64_t row = part.begin; row + data.horizon < part.end; ++row) {
    spans.push_back(data.Between(row, row + data.horizon));
  }
  constexpr double kBreak = 10;  // medians
  const double longest = kBreak * Median(spans);
  Moments moments;
  for (const double span : spans) moments.Add(span <= longest ? span : NAN);
  return moments.mean;
}

/// Over the rows of a part from `skip` on, `ahead` before its end; what is missing is NaN.
template <class Quantity>
Moments MomentsOf(const SeriesPart& part, int64_t skip, int64_t ahead, Quantity quantity) {
  Moments moments;
  for (int64_t row = part.begin + skip; row + ahead < part.end; ++row) moments.Add(quantity(row));
  return moments;
}

Moments AheadMoments(const SeriesData& data, const SeriesPart& part, int64_t c, bool as_change) {
  return MomentsOf(part, 0, data.horizon, [&](int64_t row) {
    return data.at(row + data.horizon, c) - (as_change ? data.at(row, c) : 0);
  });
}

SeriesScale ScaleOf(const Moments& moments) {
  const double deviation = std::sqrt(moments.variance());
  return {moments.mean, deviation > 0 ? deviation : 1};
}

void CheckParts(const SeriesData& data, const SeriesSource& source) {
  constexpr const char* kNames[] = {"training", "validation", "test"};
  const int64_t needed = source.context + source.horizon;
  for (size_t i = 0; i < 3; ++i) {
    const int64_t rows = std::max<int64_t>(0, data.parts[i].rows());
    if (rows >= needed) continue;
    Fail(
        ExitCode::kBadConfig,
        fmt::format("{}: the {} part holds {} of {} rows, but one window takes context + horizon = "
                    "{}; shorten task.context or change the fractions",
                    source.path, kNames[i], rows, data.rows(), needed));
  }
}

void Standardise(SeriesData& data, const SeriesSource& source) {
  const SeriesPart& train = data.part(Split::kTrain);
  data.ahead_time = TimeAhead(data, train);
  for (int64_t c = 0; c < data.columns(); ++c) {
    const Moments value = MomentsOf(train, 0, 0, [&](int64_t row) { return data.at(row, c); });
    if (value.count < 2) {
      Fail(ExitCode::kBadData,
           fmt::format("{}: column {} has {} values in the training part; at least 2 are needed",
                       source.path, Quote(data.names[static_cast<size_t>(c)]), value.count));
    }
    data.value.push_back(ScaleOf(value));
    data.change.push_back(ScaleOf(MomentsOf(train, 1, 0, [&](int64_t row) {
      return (data.at(row, c) - data.at(row - 1, c)) / data.Between(row - 1, row);
    })));
    data.change_ahead.push_back(ScaleOf(AheadMoments(data, train, c, true)));
  }
}

}  // namespace

double SeriesData::Between(int64_t from, int64_t to) const {
  if (time.empty()) return static_cast<double>(to - from);
  return (time[static_cast<size_t>(to)] - time[static_cast<size_t>(from)]) / interval;
}

bool SeriesData::any_missing() const {
  return std::find(missing.begin(), missing.end(), true) != missing.end();
}

double SeriesData::TargetDeviation(const SeriesPart& part, int64_t column, bool as_change) const {
  return std::sqrt(AheadMoments(*this, part, column, as_change).variance());
}

std::vector<double> SeriesData::TargetVariance(const SeriesPart& part, bool as_change) const {
  std::vector<double> variances;
  for (int64_t c = 0; c < columns(); ++c) {
    const double unit = (as_change ? change_ahead : value)[static_cast<size_t>(c)].deviation;
    const double share = TargetDeviation(part, c, as_change) / unit;
    variances.push_back(share * share);
  }
  return variances;
}

std::array<SeriesPart, 3> CutByTime(int64_t rows, double train, double validation, int64_t gap) {
  const auto share = [&](double fraction) {
    return static_cast<int64_t>(std::llround(fraction * static_cast<double>(rows)));
  };
  const int64_t first = share(train), second = share(train + validation);
  return {{{0, first}, {first + gap, second}, {second + gap, rows}}};
}

SeriesData ReadSeries(const SeriesSource& source) {
  const Table table = ReadTable(source.path);
  const NamedTable named{table, source.path};
  const std::vector<int64_t> chosen = ChooseColumns(named, source);
  SeriesData data;
  data.horizon = source.horizon;
  data.time = ReadTimes(named, source);
  data.interval = MedianInterval(data.time);
  data.names = NamesOf(table, chosen);
  data.values = ValuesOf(named, chosen);
  data.missing.assign(chosen.size(), false);
  for (int64_t i = 0; i < data.values.size(); ++i) {
    if (std::isnan(data.values[i])) data.missing[static_cast<size_t>(i % data.columns())] = true;
  }
  for (const std::string& name : source.angles) {
    const int64_t column = FindColumn(named, name, "angles");
    const auto found = std::find(chosen.begin(), chosen.end(), column);
    if (found == chosen.end()) {
      Fail(ExitCode::kBadConfig,
           fmt::format("{}: task.angles names {}, which task.columns leaves out", source.path,
                       Quote(name)));
    }
    Unwrap(data, found - chosen.begin());
  }
  data.parts = CutByTime(data.rows(), source.train, source.validation, source.horizon);
  CheckParts(data, source);
  Standardise(data, source);
  return data;
}

}  // namespace ssm
