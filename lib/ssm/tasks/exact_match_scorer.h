// How often all answers of a sequence are right at once.
#pragma once

#include <vector>

#include "ssm/tasks/scorer.h"

namespace ssm {

/// The generic tallies of classes and, for the model and every reference, "exact_match": the share
/// of sequences whose scored steps are all right, overall and by the labels of each stratum axis
/// (the label of a sequence's first scored step). Where k logits share the largest at a step, a
/// sequence counts 1/k: what choosing among them would come to on average.
class ExactMatchScorer : public ObjectiveScorer {
 public:
  explicit ExactMatchScorer(const TaskSpec& spec) : ObjectiveScorer(spec), spec_(spec) {}
  void Add(int64_t first, const TaskPiece& piece, const double* y) override;
  Score Finish() override;

 private:
  struct Sequence {
    std::vector<double> right;    // by subject: the model, the references
    std::vector<int64_t> labels;  // by axis
  };
  void AddStep(Sequence& sequence, const TaskPiece& piece, int64_t at, const double* y) const;

  TaskSpec spec_;
  std::vector<Sequence> read_;
};

}  // namespace ssm
