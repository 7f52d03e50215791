// What a task's sequences turned out to be, measured on those that were scored.
#pragma once

#include <cstdint>
#include <vector>

#include "ssm/tasks/task.h"

namespace ssm {

/// Sums over the scored sequences; merged in a fixed order, so they do not depend on threads.
struct TaskStatistics {
  explicit TaskStatistics(const TaskSpec& spec = {});
  /// Adds one piece; rows past their length are skipped.
  void Add(const TaskSpec& spec, const TaskPiece& piece);
  void Merge(const TaskStatistics& other);

  struct Moments {
    double count = 0, sum = 0, squares = 0;
    void Add(double x, double weight = 1);
    void Merge(const Moments& other);
    double mean() const { return sum / count; }
    double variance() const;  // population
  };
  int64_t tokens = 0;
  double scored = 0;                  // total weight
  Moments target;                     // of real targets, or of class ids, where scored
  std::vector<Moments> inputs;        // [C] over all tokens
  std::vector<double> input_target;   // [C] sum of input * target where scored (one output only)
  std::vector<Moments> input_scored;  // [C] where scored
  std::vector<double> lag_octaves;    // weight with lag 0, 1, 2-3, 4-7, ...
  std::vector<std::vector<double>> strata;  // [S][labels] weight

  /// Squared correlation of input channel c with the target where scored; NaN if undefined.
  double SquaredCorrelation(size_t c) const;
};

}  // namespace ssm
