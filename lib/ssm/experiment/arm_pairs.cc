#include "ssm/experiment/arm_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "ssm/base/errors.h"
#include "ssm/statistics/exact_tests.h"
#include "ssm/statistics/hierarchical_bootstrap.h"

namespace ssm {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLevel = 0.95;

struct SharedUnit {
  size_t first = 0, second = 0;  // units of both arms
};

/// Units of the same data and init seed; failing that, of the same data seed where each arm has it
/// once.
std::vector<SharedUnit> SharedUnits(const Arm& first, const Arm& second) {
  const auto alone = [](const Arm& arm, const ArmUnit& unit) {
    return std::count_if(arm.units.begin(), arm.units.end(),
                         [&](const ArmUnit& other) { return other.data == unit.data; }) == 1;
  };
  std::vector<SharedUnit> both;
  std::vector<SharedUnit> data;
  for (size_t i = 0; i < first.units.size(); ++i) {
    for (size_t j = 0; j < second.units.size(); ++j) {
      const ArmUnit& a = first.units[i];
      const ArmUnit& b = second.units[j];
      if (a.data != b.data) continue;
      if (a.init == b.init) both.push_back({i, j});
      if (alone(first, a) && alone(second, b)) data.push_back({i, j});
    }
  }
  return both.empty() ? data : both;
}

/// One pair's results: of the same sequences, or not to be compared.
struct ScoredPair {
  const ResultsFile* first = nullptr;
  const ResultsFile* second = nullptr;
  double difference() const { return first->cell.value.value - second->cell.value.value; }
  bool has_sums() const { return first->sums.size() > 0 && second->sums.size() > 0; }
};

/// @throws Error(kUsage).
void RequireSameSequences(const ScoredPair& pair, const std::string& first_run,
                          const std::string& second_run) {
  const int64_t a = pair.first->origin.seed;
  const int64_t b = pair.second->origin.seed;
  if (a != b) {
    throw Error(ExitCode::kUsage,
                fmt::format("{} and {} share their seeds but were scored on different sequences "
                            "(seed.eval {} and {}), so nothing pairs them; evaluate both with one "
                            "seed.eval",
                            first_run, second_run, a, b));
  }
  if (!pair.has_sums() || pair.first->sums.size() == pair.second->sums.size()) return;
  throw Error(
      ExitCode::kUsage,
      fmt::format("{} and {} were scored on {} and {} sequences, so nothing pairs them; "
                  "evaluate both again",
                  first_run, second_run, pair.first->sums.size(), pair.second->sums.size()));
}

/// Whether entry i is the same sequence in every pair.
ClusterDraw DrawOf(const std::vector<ScoredPair>& pairs) {
  const bool same = std::all_of(pairs.begin(), pairs.end(), [&](const ScoredPair& pair) {
    return pair.first->origin.seed == pairs[0].first->origin.seed &&
           pair.first->sums.size() == pairs[0].first->sums.size();
  });
  return same ? ClusterDraw::kCrossed : ClusterDraw::kNested;
}

/// Resamples that are all alike know no interval; of proportions, units then count as single
/// labels.
Interval OfAlikeUnits(const std::vector<ScoredPair>& pairs) {
  std::vector<double> first;
  std::vector<double> second;
  for (const ScoredPair& pair : pairs) {
    first.push_back(pair.first->cell.value.value);
    second.push_back(pair.second->cell.value.value);
  }
  const std::vector<double> ones(pairs.size(), 1.0);
  return ProportionDifference(first, ones, second, ones, kLevel);
}

Interval OverSequences(const ScoredPair& pair) {
  const ClusterSums& a = pair.first->sums;
  const ClusterSums& b = pair.second->sums;
  const auto difference =
      pair.first->cell.metric == "accuracy" ? ProportionDifference : PairedDifference;
  return difference(a.numerator, a.denominator, b.numerator, b.denominator, kLevel);
}

/// Fills in the difference's interval and what it covers.
void PutInterval(const std::vector<ScoredPair>& pairs, ArmDifference& result) {
  if (pairs.empty()) return;
  const bool sums = std::all_of(pairs.begin(), pairs.end(),
                                [](const ScoredPair& pair) { return pair.has_sums(); });
  if (pairs.size() == 1) {
    result.basis = DifferenceBasis::kSequences;
    result.difference = {pairs[0].difference(), kNan, kNan};
    if (sums) result.difference = OverSequences(pairs[0]);
    return;
  }
  if (sums) {
    std::vector<UnitPair> units;
    for (const ScoredPair& pair : pairs) units.push_back({&pair.first->sums, &pair.second->sums});
    result.basis = DifferenceBasis::kSeedsAndSequences;
    result.difference = HierarchicalDifference(units, DrawOf(pairs), /*seed=*/0, kLevel);
  } else {
    result.basis = DifferenceBasis::kSeeds;
    result.difference = BootstrapMean(result.values, /*seed=*/0, kLevel);
  }
  if (std::isnan(result.difference.low) && pairs[0].first->cell.metric == "accuracy") {
    result.difference = OfAlikeUnits(pairs);
  }
}

Separation Judge(const ArmDifference& result) {
  constexpr double kTail = 0.05;
  const Interval& difference = result.difference;
  const bool of_seeds = result.basis == DifferenceBasis::kSeedsAndSequences ||
                        result.basis == DifferenceBasis::kSeeds;
  if (!of_seeds || !std::isfinite(difference.low) || !std::isfinite(difference.high)) {
    return Separation::kUnknown;
  }
  const bool leaves_zero = difference.low > 0 || difference.high < 0;
  return leaves_zero && result.sign_flip_p <= kTail ? Separation::kSeparated
                                                    : Separation::kNotSeparated;
}

/// Where an arm stands in comparisons that differ in their budgets.
std::string SideOf(const Arm& arm) { return arm.group + "\n" + arm.mixers; }

}  // namespace

ArmDifference DifferenceOf(const Arm& first_arm, const ArmScore& first, const Arm& second_arm,
                           const ArmScore& second) {
  ArmDifference result;
  result.difference = {kNan, kNan, kNan};
  std::vector<ScoredPair> pairs;
  for (const SharedUnit& shared : SharedUnits(first_arm, second_arm)) {
    pairs.push_back({first.units[shared.first], second.units[shared.second]});
    RequireSameSequences(pairs.back(), first_arm.units[shared.first].run,
                         second_arm.units[shared.second].run);
    result.values.push_back(pairs.back().difference());
  }
  PutInterval(pairs, result);
  result.sign_flip_p = pairs.size() < 2 ? kNan : SignFlipTest(result.values);
  result.budget = CommonBudget(first_arm, first.state_bytes, second_arm, second.state_bytes);
  result.separation = Judge(result);
  return result;
}

void MarkReversals(const std::vector<Arm>& arms, std::vector<ArmDifference>& pairs) {
  /// A separated pair from the lesser side to the greater one.
  struct Directed {
    ArmDifference* pair;
    double difference;
  };
  std::map<std::pair<std::string, std::string>, std::vector<Directed>> families;
  for (ArmDifference& pair : pairs) {
    std::pair<std::string, std::string> sides = {SideOf(arms[pair.first]),
                                                 SideOf(arms[pair.second])};
    if (pair.separation != Separation::kSeparated || sides.first == sides.second) continue;
    const bool turned = sides.second < sides.first;
    if (turned) std::swap(sides.first, sides.second);
    families[sides].push_back({&pair, turned ? -pair.difference.value : pair.difference.value});
  }
  for (auto& [sides, family] : families) {
    std::set<ArmDifference*> reversed;
    for (const Directed& one : family) {
      for (const Directed& other : family) {
        if ((one.difference > 0) == (other.difference > 0)) continue;
        if (DifferentBudgets(one.pair->budget, other.pair->budget)) reversed.insert(one.pair);
      }
    }
    for (ArmDifference* pair : reversed) pair->separation = Separation::kReversed;
  }
}

}  // namespace ssm
