// From numbers by seed to rows with verdicts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ssm/analysis/published_result.h"
#include "ssm/experiment/result_row.h"
#include "ssm/experiment/trained_result.h"
#include "ssm/statistics/intervals.h"

namespace ssm {

/// A reading of one run.
struct ResultNumber {
  int64_t seed = 0;
  Interval value;
  std::string context;  // what to read it against, and where the run is: for a diagnosis
};

/// A row and its number under every seed, in the order of seeds.
struct MeasuredRow {
  ResultRow row;
  std::vector<ResultNumber> numbers;
};

/// Measured values under the rule; a row that does not hold names the seeds that miss its bound.
/// Rows that are only told have the mean of their seeds, or the value of the best one.
std::vector<GateRow> JudgeRows(const std::vector<MeasuredRow>& rows, SeedRule rule);

}  // namespace ssm
