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
      const int64_t right = static_cast<int64_t>(piece.targets[at]);
      if (place == right) continue;
      const auto share = [&](int64_t answer) {
        return ScoreClasses(y + at * places, places, answer).hit;
      };
      stale_.Add(first + row, weight * share(place), weight);
      tracking_.Add(first + row, weight * (share(right) - share(place)), weight);
    }
  }
}

Score StaleScorer::Finish() {
  Score score = ObjectiveScorer::Finish();
  if (!stale_.empty()) {
    score.tallies.push_back(stale_.ToTally("model", "stale_answer", "", "", sequences()));
    score.tallies.push_back(tracking_.ToTally("model", "tracking", "", "", sequences()));
  }
  return score;
}

}  // namespace ssm
