// One window of a recording, read step by step.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ssm/tasks/series_data.h"

namespace ssm {

enum class SeriesInput { kValue, kChange, kBoth };
enum class SeriesPredict { kValue, kChange };

/// What a window shows and asks.
struct SeriesView {
  SeriesInput input = SeriesInput::kValue;
  SeriesPredict predict = SeriesPredict::kValue;
  bool dt = false;     // times between rows are given
  int64_t stride = 1;  // rows between steps
};

/// Rows begin, begin + stride, ... of `steps` steps.
struct SeriesWindow {
  int64_t begin = 0, steps = 0;
};

/// How a part is cut into windows that share no row.
struct SeriesWindowing {
  int64_t steps = 1, stride = 1;
  /// How many fit one after another into `rows` rows.
  int64_t CountIn(int64_t rows) const;
  /// From the first step to the last.
  int64_t rows() const { return (steps - 1) * stride + 1; }
};

/// Input channels: standardised values; standardised changes since the step before, per row or,
/// where times are known, per median interval (0 at the window's first step); for each column with
/// gaps, whether it is seen. Missing is 0.
std::vector<std::string> SeriesChannels(const SeriesData& data, const SeriesView& view);

/// Targets are standardised by training; those not observed have weight 0. References: persistence,
/// constant velocity (from the last two observed values of the window; per unit of time where times
/// are known, for as long as `horizon` rows take on average, breaks left out), training mean.
/// Borrows `data`. O(C) a step.
std::unique_ptr<SequenceStream> MakeSeriesStream(const SeriesData& data, const SeriesView& view,
                                                 const SeriesWindow& window);

}  // namespace ssm
