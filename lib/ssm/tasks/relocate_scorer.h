// What relocate.tokens measures beyond accuracy: whether a wrong answer is the stale one.
#pragma once

#include "ssm/tasks/scorer.h"

namespace ssm {

/// The generic tallies and, for the model, "stale_answer": among questions where the place the
/// object was last seen at is wrong, the share answered with it (k equal largest logits count 1/k).
/// An observer that does not follow what is hidden has 1, one that guesses 1/places.
class StaleScorer final : public ObjectiveScorer {
 public:
  /// The spec's references must be RelocateReferences.
  explicit StaleScorer(const TaskSpec& spec) : ObjectiveScorer(spec), spec_(spec) {}
  void Add(int64_t first, const TaskPiece& piece, const double* y) override;
  Score Finish() override;

 private:
  TaskSpec spec_;
  SequenceSums stale_;
};

}  // namespace ssm
