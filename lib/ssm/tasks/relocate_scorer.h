// What relocate.tokens measures beyond accuracy: whether a wrong answer is the stale one.
#pragma once

#include "ssm/tasks/scorer.h"

namespace ssm {

/// The generic tallies and two more of the model, over the questions where the place the object was
/// last seen at is wrong (k equal largest logits count 1/k):
///   "stale_answer"  the share answered with that place: 1 for an observer that does not follow
///                   what is hidden, 1/places for one that guesses
///   "tracking"      the share answered rightly less the stale one: 1 tracks what is hidden, -1
///                   echoes what was seen, 0 does neither
class StaleScorer final : public ObjectiveScorer {
 public:
  /// The spec's references must be RelocateReferences.
  explicit StaleScorer(const TaskSpec& spec) : ObjectiveScorer(spec), spec_(spec) {}
  void Add(int64_t first, const TaskPiece& piece, const double* y) override;
  Score Finish() override;

 private:
  TaskSpec spec_;
  SequenceSums stale_, tracking_;
};

}  // namespace ssm
