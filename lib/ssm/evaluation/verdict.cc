#include "ssm/evaluation/verdict.h"

#include <algorithm>
#include <cmath>

namespace ssm {
namespace {

/// Why there is no verdict.
std::string WhyUnknown(const CellResult& cell) {
  if (VerdictOpponent(cell) == nullptr) return "nothing to compare with";
  if (!cell.undefined.empty()) return "not judged: " + cell.undefined;
  return "not judged: the sequences are too few, or too much alike, for an interval";
}

}  // namespace

const ReferenceResult* VerdictOpponent(const CellResult& cell) {
  const ReferenceResult* best = BestHeuristic(cell);
  const ReferenceResult* chance = FindPaired(cell, Role::kChance);
  if (best == nullptr || chance == nullptr) return best != nullptr ? best : chance;
  const double ahead = chance->estimate.value - best->estimate.value;
  return (cell.higher_is_better ? ahead : -ahead) > 0 ? chance : best;
}

Verdict Judge(const CellResult& cell) {
  const ReferenceResult* opponent = VerdictOpponent(cell);
  if (opponent == nullptr || cell.sequences < 2) return Verdict::kUnknown;
  const Interval& difference = opponent->difference;
  if (!std::isfinite(difference.low) || !std::isfinite(difference.high)) return Verdict::kUnknown;
  const double sign = cell.higher_is_better ? 1 : -1;
  const double low = sign * difference.low;
  const double high = sign * difference.high;
  if (std::min(low, high) > 0) return Verdict::kBetter;
  if (std::max(low, high) < 0) return Verdict::kWorse;
  return Verdict::kNotSeparated;
}

std::string VerdictSentence(const CellResult& cell) {
  const ReferenceResult* against = VerdictOpponent(cell);
  const bool chance = against == nullptr || against->role == Role::kChance;
  const std::string opponent = chance ? "chance" : "the best heuristic";
  switch (Judge(cell)) {
    case Verdict::kBetter:
      return "better than " + opponent + " by its interval";
    case Verdict::kNotSeparated:
      return "not separated from " + opponent;
    case Verdict::kWorse:
      return "worse than " + opponent + " by its interval";
    case Verdict::kUnknown:
      return WhyUnknown(cell);
  }
  return "";
}

std::string VerdictWord(const CellResult& cell) {
  switch (Judge(cell)) {
    case Verdict::kBetter:
      return "better";
    case Verdict::kNotSeparated:
      return "not separated";
    case Verdict::kWorse:
      return "worse";
    case Verdict::kUnknown:
      return "-";
  }
  return "";
}

}  // namespace ssm
