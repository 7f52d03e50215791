#include "ssm/tasks/exact_match_scorer.h"

#include <algorithm>

namespace ssm {

void ExactMatchScorer::AddStep(Sequence& sequence, const TaskPiece& piece, int64_t at,
                               const double* y) const {
  const size_t subjects = 1 + spec_.references.size();
  const int64_t axes = std::ssize(spec_.strata);
  if (sequence.right.empty()) {
    sequence.right.assign(subjects, 1.0);
    const int64_t* labels = piece.strata.data() + at * axes;
    sequence.labels.assign(labels, labels + axes);
  }
  const int64_t target = static_cast<int64_t>(piece.targets[at]);
  for (size_t s = 0; s < subjects; ++s) {
    const int64_t reference = static_cast<int64_t>(s) - 1;
    const double* answer =
        s == 0 ? y + at * spec_.outputs
               : piece.references.data() +
                     (at * static_cast<int64_t>(subjects - 1) + reference) * spec_.outputs;
    sequence.right[s] *= ScoreClasses(answer, spec_.outputs, target).hit;
  }
}

void ExactMatchScorer::Add(int64_t first, const TaskPiece& piece, const double* y) {
  ObjectiveScorer::Add(first, piece, y);
  read_.resize(static_cast<size_t>(sequences()));
  for (int64_t row = 0; row < piece.rows; ++row) {
    const int64_t length = piece.lengths.size() == 0 ? piece.steps : piece.lengths[row];
    for (int64_t t = 0; t < length; ++t) {
      const int64_t at = row * piece.steps + t;
      if (piece.weights[at] > 0) AddStep(read_[static_cast<size_t>(first + row)], piece, at, y);
    }
  }
}

Score ExactMatchScorer::Finish() {
  Score score = ObjectiveScorer::Finish();
  const auto add = [&](size_t subject, const std::string& axis, const std::string& label,
                       const auto& counts) {
    SequenceSums sums;
    for (size_t i = 0; i < read_.size(); ++i) {
      if (read_[i].right.empty() || !counts(read_[i])) continue;
      sums.Add(static_cast<int64_t>(i), read_[i].right[subject], 1);
    }
    if (sums.empty()) return;
    const std::string name = subject == 0 ? "model" : spec_.references[subject - 1].name;
    score.tallies.push_back(sums.ToTally(name, "exact_match", axis, label, sequences()));
  };
  for (size_t subject = 0; subject <= spec_.references.size(); ++subject) {
    add(subject, "", "", [](const Sequence&) { return true; });
    for (size_t a = 0; a < spec_.strata.size(); ++a) {
      const StratumAxis& axis = spec_.strata[a];
      for (size_t label = 0; label < axis.labels.size(); ++label) {
        add(subject, axis.name, axis.labels[label], [&](const Sequence& sequence) {
          return sequence.labels[a] == static_cast<int64_t>(label);
        });
      }
    }
  }
  return score;
}

}  // namespace ssm
