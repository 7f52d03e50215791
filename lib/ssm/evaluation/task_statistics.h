// What a task's sequences turned out to be, measured on those that were scored.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ssm/tasks/task.h"

namespace ssm {

/// Sums over the scored sequences; merged in a fixed order, so they do not depend on threads.
struct TaskStatistics {
  explicit TaskStatistics(const TaskSpec& spec = {});
  /// Adds one piece; rows past their length are skipped.
  void Add(const TaskSpec& spec, const TaskPiece& piece);
  void Merge(const TaskStatistics& other);

  /// Weighted mean and variance without cancellation (West 1979, Commun. ACM 22:532; Chan, Golub
  /// & LeVeque 1983, Am. Stat. 37:242): what does not vary has variance 0 exactly.
  struct Moments {
    double count = 0, center = 0, squares = 0;  // squares: of deviations from the center
    void Add(double x, double weight = 1);
    void Merge(const Moments& other);
    double mean() const { return count > 0 ? center : std::numeric_limits<double>::quiet_NaN(); }
    double variance() const { return squares / count; }  // population
  };
  int64_t tokens = 0;
  double scored = 0;            // total weight
  Moments target;               // of real targets, or of class ids, where scored
  std::vector<Moments> inputs;  // [C] over all tokens
  // Of tasks with one output, where scored (and observed, if there is a channel "seen"):
  Moments target_seen;
  std::vector<Moments> input_scored;        // [C]
  std::vector<double> input_target;         // [C] sum of input * target
  std::vector<double> lag_octaves;          // weight with lag 0, 1, 2-3, 4-7, ...
  std::vector<std::vector<double>> strata;  // [S][labels] weight

  /// What the numbers say, under stable names; what cannot be told is left out:
  ///   scored_fraction   scored weight per token and output
  ///   target_mean, target_variance
  ///   fraction_missing  of tokens, where the task has a channel "seen"
  ///   signal_to_noise   rho^2 / (1 - rho^2) of the input channel most correlated (rho) with the
  ///                     target at scored steps: 1/r^2 where x = z + r noise and z is the target
  std::vector<std::pair<std::string, double>> Named(const TaskSpec& spec) const;

  /// Squared correlation of input channel c with the target there; NaN if undefined.
  double SquaredCorrelation(size_t c) const;

 private:
  int64_t observed_ = -1;  // the channel of that name
};

}  // namespace ssm
