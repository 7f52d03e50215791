#include "ssm/experiment/result_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "ssm/base/text.h"

namespace ssm {
namespace {

bool Meets(const ResultRow& row, double value) {
  return row.upper ? value <= row.bound : value >= row.bound;
}

/// The value that is hardest on a bound: the largest for "<=", else the smallest; NaN where any is.
double Hardest(const MeasuredRow& row) {
  double hardest = row.numbers.front().value.value;
  for (const ResultNumber& number : row.numbers) {
    const double value = number.value.value;
    if (std::isnan(value)) return value;
    hardest = row.row.upper ? std::max(hardest, value) : std::min(hardest, value);
  }
  return hardest;
}

double Mean(const MeasuredRow& row) {
  double sum = 0;
  for (const ResultNumber& number : row.numbers) sum += number.value.value;
  return sum / static_cast<double>(row.numbers.size());
}

/// Of each arm the index of the seed that meets most of its rows; of several the first.
std::map<std::string, size_t> BestSeeds(const std::vector<MeasuredRow>& rows) {
  std::map<std::string, std::vector<int64_t>> met;
  for (const MeasuredRow& row : rows) {
    std::vector<int64_t>& counts = met[row.row.arm];
    counts.resize(row.numbers.size(), 0);
    for (size_t i = 0; i < row.numbers.size(); ++i) {
      if (row.row.gated && Meets(row.row, row.numbers[i].value.value)) ++counts[i];
    }
  }
  std::map<std::string, size_t> best;
  for (const auto& [arm, counts] : met) {
    best[arm] =
        static_cast<size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  }
  return best;
}

std::string NumberText(const ResultNumber& number) {
  std::string text = FormatDigits(number.value.value, 4);
  if (std::isfinite(number.value.low)) {
    text += fmt::format(" [{}, {}]", FormatDigits(number.value.low, 4),
                        FormatDigits(number.value.high, 4));
  }
  return text;
}

/// The seeds that miss the bound, and what their numbers are to be read against.
std::string DiagnosisOf(const MeasuredRow& row) {
  std::vector<std::string> missed;
  for (const ResultNumber& number : row.numbers) {
    if (Meets(row.row, number.value.value)) continue;
    missed.push_back(
        fmt::format("seed {}: {}; {}", number.seed, NumberText(number), number.context));
  }
  return Join(missed, "\n");
}

}  // namespace

std::vector<GateRow> JudgeRows(const std::vector<MeasuredRow>& rows, SeedRule rule) {
  const std::map<std::string, size_t> best = BestSeeds(rows);
  std::vector<GateRow> judged;
  for (const MeasuredRow& row : rows) {
    GateRow gate{.what = row.row.arm + " " + row.row.reading,
                 .bound = row.row.bound,
                 .upper = row.row.upper,
                 .gated = row.row.gated,
                 .published = row.row.published};
    for (const ResultNumber& number : row.numbers) gate.each.push_back(number.value.value);
    const bool of_best = rule == SeedRule::kBest && !(gate.gated && gate.upper);
    gate.measured = of_best      ? gate.each[best.at(row.row.arm)]
                    : gate.gated ? Hardest(row)
                                 : Mean(row);
    if (!gate.holds()) gate.diagnosis = DiagnosisOf(row);
    judged.push_back(std::move(gate));
  }
  return judged;
}

}  // namespace ssm
