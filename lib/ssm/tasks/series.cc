#include "ssm/tasks/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ssm/base/files.h"
#include "ssm/base/sha256.h"
#include "ssm/base/text.h"
#include "ssm/tasks/scorer.h"
#include "ssm/tasks/streams.h"

namespace ssm {

void SeriesTask::VisitFields(FieldVisitor& visitor) {
  visitor.Text("file", file, "CSV or blank-separated text, relative to this config");
  visitor.TextList("columns", columns, "columns by name or number from 0; empty: all but time");
  visitor.OptionalText("time_column", time_column, "column of times, in any unit, or null");
  visitor.TextList("angles", angles, "columns in radians whose jumps by 2 pi are undone");
  visitor.Int("horizon", horizon, {.min = 1, .max = 1'000'000'000}, "rows ahead to forecast");
  visitor.Int("context", context, {.min = 1, .max = 1'000'000'000}, "rows of a window");
  visitor.Choice("input", input,
                 {{"value", SeriesInput::kValue},
                  {"change", SeriesInput::kChange},
                  {"both", SeriesInput::kBoth}},
                 "what the model reads: values, changes since the row before (per unit of time "
                 "where times are "
                 "known), or both");
  visitor.Choice("predict", predict,
                 {{"value", SeriesPredict::kValue}, {"change", SeriesPredict::kChange}},
                 "what it says: the later value, or by how much it will have changed");
  visitor.Bool("use_dt", use_dt, "give the model the time between rows; needs time_column");
  visitor.Real("train_fraction", train_fraction,
               {.min = 0, .max = 1, .open_min = true, .open_max = true},
               "share of the rows, from the start, to train on");
  visitor.Real("validation_fraction", validation_fraction,
               {.min = 0, .max = 1, .open_min = true, .open_max = true},
               "share of the rows after that to validate on; the rest is the test");
}

void SeriesTask::Check(Faults& faults) const {
  if (file.empty()) faults.Add("file", "is empty: name a CSV or text file of numbers");
  if (horizon > context) {
    faults.Add("horizon", fmt::format("is {}, longer than the {} rows of context: shorten it, or "
                                      "lengthen context",
                                      horizon, context));
  }
  if (train_fraction + validation_fraction >= 1) {
    faults.Add("validation_fraction",
               fmt::format("is {} after a train_fraction of {}: nothing is left to test on; their "
                           "sum must be below 1",
                           FormatNumber(validation_fraction), FormatNumber(train_fraction)));
  }
  if (use_dt && !time_column) {
    faults.Add("use_dt", "is true, but there are no times: name the time_column");
  }
  if (time_column && time_column->empty()) {
    faults.Add("time_column", "is empty: name a column, or write null");
  }
}

namespace {

/// An error is measured in units of a variance: what is forecast must have one, beyond what the
/// rounding of its values leaves.
void RequireTargetsThatVary(const SeriesData& data, SeriesPredict predict,
                            const std::string& file) {
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
  const bool change = predict == SeriesPredict::kChange;
  for (size_t c = 0; c < data.names.size(); ++c) {
    const SeriesScale& value = data.value[c];
    const double deviation =
        data.TargetDeviation(data.part(Split::kTrain), static_cast<int64_t>(c), change);
    const double size = std::abs(value.mean) + value.deviation;
    if (deviation > kRounding * size && std::isfinite(deviation)) continue;
    Fail(ExitCode::kBadData,
         fmt::format("series: {}: column {} {} standard deviation {} over the training part, no "
                     "more than the rounding of values around {}, so no error can be measured in "
                     "it; name other columns in task.columns{}",
                     file, Quote(data.names[c]), change ? "changes with" : "has",
                     FormatDigits(deviation, 3), FormatDigits(size, 3),
                     change ? ", or predict its value" : ""));
  }
}

}  // namespace

void SeriesTask::Load(const std::string& directory) {
  data_ = std::make_unique<SeriesData>(ReadSeries({.path = JoinPath(directory, file),
                                                   .columns = columns,
                                                   .time_column = time_column.value_or(""),
                                                   .angles = angles,
                                                   .horizon = horizon,
                                                   .context = context,
                                                   .train = train_fraction,
                                                   .validation = validation_fraction}));
  RequireTargetsThatVary(*data_, predict, file);
  digest_ = Sha256File(JoinPath(directory, file));
}

const SeriesData& SeriesTask::data() const {
  SSM_CHECK(data_ != nullptr, "a series is asked before Load");
  return *data_;
}

TaskSpec SeriesTask::Spec() const {
  TaskSpec spec;
  spec.reals = SeriesChannels(data(), {.input = input});
  spec.has_dt = use_dt;
  spec.steps = context;
  spec.objective = Objective::kSquaredError;
  spec.outputs = data().columns();
  spec.weights_per_output = data().any_missing();
  spec.metric = "nmse";
  spec.references = {{"persistence", Role::kHeuristic},
                     {"constant velocity", Role::kHeuristic},
                     {"training mean", Role::kChance}};
  return spec;
}

SeriesWindowing SeriesTask::WindowingOf(const StreamOptions& options) const {
  const double stride = std::round(options.dt_scale);
  const bool whole = stride >= 1 && stride == options.dt_scale;
  if (!whole || stride > static_cast<double>(data().rows())) {
    Fail(ExitCode::kBadConfig,
         fmt::format("series: dt_scale is {}, but a recording of {} rows can only be thinned to "
                     "every k-th row; give a whole number of 1 to {}",
                     FormatNumber(options.dt_scale), data().rows(), data().rows()));
  }
  return {options.steps > 0 ? options.steps : context, static_cast<int64_t>(stride)};
}

int64_t SeriesTask::Examples(Split split, const StreamOptions& options) const {
  if (split == Split::kTrain) return -1;
  if (split == Split::kProbe) return 0;
  return WindowingOf(options).CountIn(data().part(split).rows() - horizon);
}

std::unique_ptr<SequenceStream> SeriesTask::Open(uint64_t seed, Split split, int64_t index,
                                                 const StreamOptions& options) const {
  if (split == Split::kProbe) {
    Fail(ExitCode::kBadConfig, "series: a recording has no probe split; use test or validation");
  }
  const SeriesWindowing windows = WindowingOf(options);
  const SeriesView view{input, predict, use_dt, windows.stride};
  const SeriesPart& part = data().part(split);
  const int64_t rows = part.rows() - horizon;
  if (split != Split::kTrain) {
    SSM_CHECK(index >= 0 && index < windows.CountIn(rows), "a window past the end of its part");
    const int64_t begin = part.begin + index * windows.steps * windows.stride;
    return MakeSeriesStream(data(), view, {begin, windows.steps});
  }
  if (windows.CountIn(rows) == 0) {
    Fail(ExitCode::kBadConfig,
         fmt::format(
             "series: the training part of {} rows is too short for a window of {} steps; ask "
             "for shorter ones",
             part.rows(), windows.steps));
  }
  Random random(seed, StreamOf(split), static_cast<uint64_t>(index));
  const int64_t begin = part.begin + random.Below(rows - windows.rows() + 1);
  return MakeSeriesStream(data(), view, {begin, windows.steps});
}

std::vector<KnownValue> SeriesTask::Known(Split, const StreamOptions&) const { return {}; }

std::unique_ptr<Scorer> SeriesTask::MakeScorer(Split split) const {
  const SeriesPart& part = data().part(split == Split::kProbe ? Split::kTest : split);
  return std::make_unique<ObjectiveScorer>(
      Spec(), data().TargetVariance(part, predict == SeriesPredict::kChange));
}

std::string SeriesTask::Describe() const {
  const SeriesData& d = data();
  std::string text = fmt::format(
      "The recording {} has {} of {}. After every row the model says {} {} later, in "
      "standard deviations over the training part.",
      BaseName(file), FormatCount(d.rows(), "row"), Join(d.names, ", "),
      predict == SeriesPredict::kValue ? "where they will be"
                                       : "by how much they will have changed",
      FormatCount(horizon, "row"));
  if (d.interval > 0) {
    text += fmt::format(" Rows come every {} units of time in the median.",
                        FormatDigits(d.interval, 3));
  }
  int64_t missing = 0;
  for (const double value : d.values.flat()) missing += std::isnan(value) ? 1 : 0;
  if (missing > 0) {
    text += fmt::format(
        " {} of {} values are missing; channels say which are seen, and what was not "
        "observed is not scored.",
        FormatCount(missing), FormatCount(d.values.size()));
  }
  text += fmt::format(
      " It trains on windows of {} from the first {}, is validated on {} and tested on {} after "
      "that; {} between the parts {} left out. The error is in units of the variance of what is "
      "asked in that part. Beside the model: persistence, constant velocity{}, and the training "
      "mean as chance. There is no ceiling: the law of a recording is not known.",
      FormatCount(context, "row"), FormatCount(d.part(Split::kTrain).rows()),
      FormatCount(Examples(Split::kValidation, {}), "window"),
      FormatCount(Examples(Split::kTest, {}), "window"), FormatCount(horizon, "row"),
      horizon == 1 ? "is" : "are", d.interval > 0 ? " per unit of time" : "");
  return text;
}

}  // namespace ssm
