// Per-sequence tallies of a task's metric and loss, for the model and every reference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ssm/tasks/task.h"

namespace ssm {

/// Octave of a lag >= 0: 0 for 0, 1 for 1, 2 for 2-3, 3 for 4-7, ...
int64_t LagOctave(int64_t lag);
/// "0", "1", "2-3", "4-7", ...
std::string LagOctaveLabel(int64_t octave);

/// Octave of a step, counted from 0 in its sequence: the first 2^k steps are octaves 0 to k.
int64_t StepOctave(int64_t step);
/// Its steps counted from 1, so that they end at powers of two: "1", "2", "3-4", "5-8", ...
std::string StepOctaveLabel(int64_t octave);

/// A numerator and a denominator for every sequence, grown as sequences appear.
struct SequenceSums {
  std::vector<double> numerator, denominator;
  void Add(int64_t sequence, double n, double d);
  bool empty() const { return numerator.empty(); }
  /// As a tally over `sequences` sequences; those never added to hold zeros.
  Tally ToTally(const std::string& subject, const std::string& metric, const std::string& axis,
                const std::string& label, int64_t sequences) const;
};

/// How good logits are when the class is `target`: hit is 1 where it has the largest logit, 1/k
/// where k share that, NaN when a logit is NaN; loss is the cross-entropy in nats.
struct SoftmaxScore {
  double hit = 0, loss = 0;
};
SoftmaxScore ScoreClasses(const double* y, int64_t classes, int64_t target);

/// The generic scorer. For the model ("model") and every reference, overall, by lag octave (axis
/// "lag"), by stratum (axis and label of the spec) and by octave of the step in the sequence (axis
/// "step"; left out where all scored steps fall into one), one tally each of:
///   squared error          "nmse" = sum w (y - target)^2 / sum w variance_o, and "mse"
///   binary cross-entropy   "accuracy" (a logit of 0 is half right), and "bce" in nats
///   softmax cross-entropy  "accuracy" (k equal largest logits are 1/k right), and "cross_entropy"
/// `variance`: [O] of the targets (squared error only; empty: 1 each). Labels that no scored step
/// falls under give no tally. Memory: four doubles per sequence, subject and label met.
class ObjectiveScorer : public Scorer {
 public:
  explicit ObjectiveScorer(const TaskSpec& spec, std::vector<double> variance = {});
  void Add(int64_t first, const TaskPiece& piece, const double* y) override;
  Score Finish() override;

  /// Sequences met so far: one more than the largest index.
  int64_t sequences() const { return sequences_; }

 private:
  struct Cell {
    SequenceSums metric, loss;
  };
  struct Group {
    std::string axis, label;
  };
  struct StepScore {
    double score = 0, scale = 0, loss = 0, terms = 0;
  };
  StepScore ScoreStep(const double* y, const double* target, const double* weight) const;
  /// The groups step `at` of a piece, step `step` of its sequence, falls under: overall, its
  /// octaves, its labels.
  void GroupsOf(const TaskPiece& piece, int64_t at, int64_t step);
  void AddStep(const TaskPiece& piece, int64_t at, int64_t sequence, int64_t step, const double* y);
  bool Varies(const std::string& axis) const;

  TaskSpec spec_;
  std::vector<double> variance_;
  std::vector<Group> groups_;
  std::vector<int64_t> first_of_strata_;  // [S] group of an axis's first label
  int64_t first_of_steps_ = 0;            // group of the first octave of steps
  std::vector<std::vector<Cell>> cells_;  // [1 + references][groups]
  std::vector<int64_t> of_step_;          // scratch of GroupsOf
  std::vector<int64_t> read_;             // [sequences] steps so far
  int64_t sequences_ = 0;
};

}  // namespace ssm
