#include "ssm/evaluation/verdict.h"

#include <algorithm>
#include <cmath>

namespace ssm {
namespace {

/// What the model is judged against; null: nothing is known.
const ReferenceResult* Opponent(const CellResult& cell) {
  const ReferenceResult* best = BestHeuristic(cell);
  return best != nullptr ? best : FindPaired(cell, Role::kChance);
}

}  // namespace

Verdict Judge(const CellResult& cell) {
  const ReferenceResult* opponent = Opponent(cell);
  if (opponent == nullptr || std::isnan(opponent->difference.low)) return Verdict::kUnknown;
  const double sign = cell.higher_is_better ? 1 : -1;
  const double low = sign * opponent->difference.low;
  const double high = sign * opponent->difference.high;
  if (std::min(low, high) > 0) return Verdict::kAbove;
  if (std::max(low, high) < 0) return Verdict::kBelow;
  return Verdict::kNotSeparated;
}

std::string VerdictSentence(const CellResult& cell) {
  const std::string opponent = BestHeuristic(cell) != nullptr ? "the best heuristic" : "chance";
  switch (Judge(cell)) {
    case Verdict::kAbove:
      return "above " + opponent + " by its interval";
    case Verdict::kNotSeparated:
      return "not separated from " + opponent;
    case Verdict::kBelow:
      return "below " + opponent + " by its interval";
    case Verdict::kUnknown:
      return "nothing to compare with";
  }
  return "";
}

std::string VerdictWord(const CellResult& cell) {
  switch (Judge(cell)) {
    case Verdict::kAbove:
      return "above";
    case Verdict::kNotSeparated:
      return "not separated";
    case Verdict::kBelow:
      return "below";
    case Verdict::kUnknown:
      return "-";
  }
  return "";
}

}  // namespace ssm
