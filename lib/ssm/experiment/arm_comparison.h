// Arms beside each other: each cell that all their runs have, and each pair of arms in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ssm/experiment/arms.h"
#include "ssm/experiment/common_budget.h"
#include "ssm/statistics/intervals.h"

namespace ssm {

/// Below so many units every value stands beside its interval.
inline constexpr size_t kManyUnits = 10;

/// Runs that reach a value.
struct SuccessCount {
  int64_t successes = 0, trials = 0;
  Interval rate;  // Clopper-Pearson
};

/// What an arm scored in one cell.
struct ArmScore {
  std::vector<const ResultsFile*> units;  // as Arm::units
  std::vector<double> values;             // of each
  /// Mean over units, percentile bootstrap; of one unit what its evaluation says, which is
  /// clustered by sequence (Wilson's for an accuracy).
  Interval mean;
  int64_t state_bytes = 0;  // live, of one stream, the most of all units
  /// Means over units; NaN without.
  double ceiling = 0, chance = 0, best_heuristic = 0;
  std::string best_heuristic_name;
  std::optional<SuccessCount> success;
};

/// What the interval of a difference covers.
enum class DifferenceBasis {
  kSeedsAndSequences,  // HierarchicalDifference
  kSeeds,              // BootstrapMean: results that hold no sums by sequence
  kSequences,          // one shared seed: two trained models, not two arms
  kNone,               // no shared seed
};

/// What is said of two arms; kUnknown: nothing.
enum class Separation { kSeparated, kNotSeparated, kReversed, kUnknown };

/// Two arms in one cell.
struct ArmDifference {
  size_t first = 0, second = 0;  // arms
  std::vector<double> values;    // first minus second, of each shared unit
  Interval difference;           // mean of those, 95 %
  DifferenceBasis basis = DifferenceBasis::kNone;
  double sign_flip_p = 0;          // NaN below two shared units
  std::optional<double> fisher_p;  // of successes, all units of both
  std::vector<BudgetPart> budget;
  Separation separation = Separation::kUnknown;
};

struct CellComparison {
  std::vector<ArmScore> arms;                              // as the arms that were compared
  std::vector<ArmDifference> pairs;                        // every two of them
  std::vector<std::pair<std::string, double>> statistics;  // measured, mean over sets of sequences
  const ResultsFile& Example() const { return *arms[0].units[0]; }
};

struct ArmComparison {
  std::vector<CellComparison> cells;
  std::vector<std::string> left_out;  // CellText of cells that some run lacks
};

/// Compares `arms` (two or more) in every cell that all their runs have. Units are paired by both
/// seeds, or by the data seed alone where no init seed is shared too; a pair was scored on the same
/// sequences. kSeparated: the 95 % interval of the difference leaves 0 out and the exact sign-flip
/// p is at most 0.05, without which intervals of few seeds claim too much; six shared seeds are the
/// least. kReversed: so, but pairs of the same mixers at another budget are separated the other
/// way. `success`: the metric that counts as one, from above or below as the metric goes.
/// @throws Error(kUsage) where no cell is shared or a pair was scored on different sequences.
ArmComparison CompareArms(const std::vector<Arm>& arms, std::optional<double> success = {});

}  // namespace ssm
