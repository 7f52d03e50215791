#include "ssm/cli/cell_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "ssm/base/text.h"
#include "ssm/evaluation/verdict.h"

namespace ssm {

namespace {

constexpr int kDigits = 4;

/// With its sign, unless it is nothing to so many decimals; long numbers in digits.
std::string SignedText(double value, int decimals) {
  constexpr double kLongest = 1e6;
  if (!std::isfinite(value)) return "-";
  if (std::abs(value) >= kLongest) return (value > 0 ? "+" : "") + FormatDigits(value, kDigits);
  const std::string text = fmt::format("{:+.{}f}", value, decimals);
  return text.find_first_of("123456789") == std::string::npos ? text.substr(1) : text;
}

/// A probe shows no signal: what it scores says how often the answers took one side.
bool NoRightAnswers(const CellResult& cell) { return cell.key.split == Split::kProbe; }

}  // namespace

std::string NumberText(double value) {
  if (value == 0) return "0";
  return std::isfinite(value) ? FormatDigits(value, kDigits) : "-";
}

std::string StatisticText(double value) {
  const bool whole = std::abs(value) < 1e15 && value == std::floor(value);
  return whole ? FormatCount(static_cast<int64_t>(value)) : NumberText(value);
}

std::string IntervalText(const Interval& interval) {
  if (!std::isfinite(interval.value)) return "undefined";
  std::string text = NumberText(interval.value);
  if (std::isfinite(interval.low) && std::isfinite(interval.high)) {
    text += fmt::format(" [{}, {}]", NumberText(interval.low), NumberText(interval.high));
  }
  return text;
}

std::string ShareText(double share) {
  constexpr double kSmallest = 0.0005;  // shows as 0.1 %
  if (!std::isfinite(share)) return "-";
  return share > 0 && share < kSmallest ? "< 0.1 %" : fmt::format("{:.1f} %", 100 * share);
}

std::string FlopsText(double flops) {
  if (flops <= 0) return "-";
  constexpr std::string_view kPrefixes = " kMGTPE";
  size_t prefix = 0;
  while (flops >= 999.5 && prefix + 1 < kPrefixes.size()) {
    flops /= 1000;
    ++prefix;
  }
  const std::string digits = FormatDigits(flops, 3);
  return prefix == 0 ? digits : digits + " " + kPrefixes[prefix];
}

std::string CeilingText(const CellResult& cell) {
  if (NoRightAnswers(cell)) return "-";
  const ReferenceResult* ceiling = FindPaired(cell, Role::kCeiling);
  return ceiling == nullptr ? "-" : NumberText(ceiling->estimate.value);
}

std::string GapText(const CellResult& cell) {
  const ReferenceResult* ceiling = FindPaired(cell, Role::kCeiling);
  if (ceiling == nullptr || NoRightAnswers(cell)) return "-";
  if (!cell.higher_is_better) {
    const double excess = ExcessOverCeiling(cell).value;
    return std::isfinite(excess) ? SignedText(100 * excess, 1) + " %" : "-";
  }
  return SignedText(ceiling->difference.value, 4);
}

std::string BestHeuristicText(const CellResult& cell) {
  const ReferenceResult* best = BestHeuristic(cell);
  if (best == nullptr || NoRightAnswers(cell)) return "-";
  return fmt::format("{} ({})", NumberText(best->estimate.value), best->name);
}

std::string ChanceText(const CellResult& cell) {
  const ReferenceResult* chance = FindReference(cell, Role::kChance);
  return chance == nullptr || NoRightAnswers(cell) ? "-" : NumberText(chance->estimate.value);
}

std::string VerdictText(const CellResult& cell) {
  return NoRightAnswers(cell) ? "-" : VerdictWord(cell);
}

std::string DescribeFor(const Task& task, std::span<const CellResult> cells) {
  const int64_t own = task.Spec().steps;
  const bool same = std::all_of(cells.begin(), cells.end(), [&](const CellResult& cell) {
    return cell.key.length == own && cell.key.dt_scale == 1;
  });
  if (same) return task.Describe();
  return fmt::format("(At its own length of {} and its own rate, unlike below:) {}",
                     FormatCount(own, "step"), task.Describe());
}

std::string UndefinedNote(const CellResult& cell) {
  return cell.undefined.empty() ? "" : "Undefined: " + cell.undefined + ".\n";
}

std::string CellNotes(std::span<const CellResult* const> cells) {
  std::string notes;
  for (const CellResult* cell : cells) {
    std::string note = UndefinedNote(*cell);
    if (note.empty() && NoRightAnswers(*cell)) {
      note = "Split \"probe\" has no right answers to judge by: it is for the kernel.\n";
    } else if (note.empty() && Judge(*cell) == Verdict::kUnknown) {
      note = "Verdict \"-\": " + VerdictSentence(*cell) + ".\n";
    }
    if (notes.find(note) == std::string::npos) notes += note;
  }
  return notes;
}

}  // namespace ssm
