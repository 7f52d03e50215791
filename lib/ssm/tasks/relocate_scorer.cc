#include "ssm/tasks/relocate_scorer.h"

#include <algorithm>

#include "ssm/tasks/relocate_observers.h"

namespace ssm {

void StaleScorer::Add(int64_t first, const TaskPiece& piece, const double* y) {
  ObjectiveScorer::Add(first, piece, y);
  const int64_t places = spec_.outputs;
  for (int64_t row = 0; row < piece.rows; ++row) {
    const int64_t length = piece.lengths.size() == 0 ? piece.steps : piece.lengths[row];
    for (int64_t t = 0; t < length; ++t) {
      const int64_t at = row * piece.steps + t;
      const double weight = piece.weights[at];
      if (weight == 0) continue;
      const double* seen =
          piece.references.data() +
          (at * kRelocateObservers + static_cast<int64_t>(RelocateObserver::kLastSeen)) * places;
      const int64_t place = std::max_element(seen, seen + places) - seen;
      if (place == static_cast<int64_t>(piece.targets[at])) continue;
      stale_.Add(first + row, weight * ScoreClasses(y + at * places, places, place).hit, weight);
    }
  }
}

Score StaleScorer::Finish() {
  Score score = ObjectiveScorer::Finish();
  if (!stale_.empty()) {
    score.tallies.push_back(stale_.ToTally("model", "stale_answer", "", "", sequences()));
  }
  return score;
}

}  // namespace ssm
