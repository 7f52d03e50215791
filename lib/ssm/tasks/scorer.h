// Per-sequence tallies of a task's metric and loss, for the model and every reference.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ssm/tasks/task.h"

namespace ssm {

/// Octave of a lag: 0 for 0, 1 for 1, 2 for 2-3, 3 for 4-7, ...
int64_t LagOctave(int64_t lag);
/// "0", "1", "2-3", "4-7", ...
std::string LagOctaveLabel(int64_t octave);

/// The generic scorer. For the model ("model") and every reference, overall, by lag octave (axis
/// "lag") and by stratum (axis and label of the spec), one tally each of:
///   squared error          "nmse" = sum w (y - target)^2 / sum w variance_o, and "mse"
///   binary cross-entropy   "accuracy" (a logit of 0 is half right), and "bce" in nats
///   softmax cross-entropy  "accuracy" (k equal largest logits are 1/k right), and "cross_entropy"
/// `variance`: [O] of the targets (squared error only; empty: 1 each). Labels nothing falls under
/// give no tally. Memory: two doubles per sequence and tally.
class ObjectiveScorer : public Scorer {
 public:
  explicit ObjectiveScorer(const TaskSpec& spec, std::vector<double> variance = {});
  void Add(int64_t first, const TaskPiece& piece, const double* y) override;
  Score Finish() override;

 private:
  struct Sums {
    std::vector<double> score, loss, weight, scale;  // [sequences]; grown when first touched
  };
  struct StepScore {
    double score = 0, loss = 0, weight = 0, scale = 0;
  };
  StepScore ScoreStep(const TaskPiece& piece, int64_t step, const double* y) const;
  void AddTo(int64_t subject, int64_t group, int64_t sequence, const StepScore& step);
  void Emit(int64_t subject, const std::string& axis, const std::string& label, const Sums& sums,
            Score& into) const;

  TaskSpec spec_;
  std::vector<double> variance_;
  std::vector<std::vector<Sums>> groups_;  // [1 + references][groups]
  int64_t sequences_ = 0;
};

/// A number per sequence that a task adds to the generic ones: mean |logit - log-odds| and the
/// like.
struct ExtraTally {
  std::vector<double> numerator, denominator;
  void Add(int64_t sequence, double n, double d);
};

}  // namespace ssm
