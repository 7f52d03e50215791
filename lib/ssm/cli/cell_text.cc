#include "ssm/cli/cell_text.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/base/text.h"

namespace ssm {

std::string NumberText(double value) { return std::isnan(value) ? "-" : FormatDigits(value, 4); }

std::string StatisticText(double value) {
  const bool whole = std::abs(value) < 1e15 && value == std::floor(value);
  return whole ? FormatCount(static_cast<int64_t>(value)) : NumberText(value);
}

std::string IntervalText(const Interval& interval) {
  std::string text = NumberText(interval.value);
  if (std::isfinite(interval.low) && std::isfinite(interval.high)) {
    text += fmt::format(" [{}, {}]", NumberText(interval.low), NumberText(interval.high));
  }
  return text;
}

std::string CeilingText(const CellResult& cell) {
  const ReferenceResult* ceiling = FindReference(cell, Role::kCeiling);
  return ceiling == nullptr ? "-" : NumberText(ceiling->estimate.value);
}

std::string GapText(const CellResult& cell) {
  const ReferenceResult* ceiling = FindPaired(cell, Role::kCeiling);
  if (ceiling == nullptr) return "-";
  if (!cell.higher_is_better) {
    const double excess = ExcessOverCeiling(cell).value;
    return std::isnan(excess) ? "-" : fmt::format("{:+.1f} %", 100 * excess);
  }
  return fmt::format("{:+.4f}", ceiling->difference.value);
}

std::string BestHeuristicText(const CellResult& cell) {
  const ReferenceResult* best = BestHeuristic(cell);
  if (best == nullptr) return "-";
  return fmt::format("{} ({})", NumberText(best->estimate.value), best->name);
}

std::string ChanceText(const CellResult& cell) {
  const ReferenceResult* chance = FindReference(cell, Role::kChance);
  return chance == nullptr ? "-" : NumberText(chance->estimate.value);
}

}  // namespace ssm
