#include "ssm/experiment/arm_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/experiment/arm_pairs.h"
#include "ssm/statistics/bootstrap.h"
#include "ssm/statistics/exact_tests.h"

namespace ssm {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const ResultsFile* FindCell(const ArmUnit& unit, const ResultsFile& asked) {
  for (const ResultsFile& result : unit.results) {
    if (SameCell(result, asked)) return &result;
  }
  return nullptr;
}

/// The first run that lacks a cell; null: all have it.
const ArmUnit* WhoLacks(const std::vector<Arm>& arms, const ResultsFile& asked) {
  for (const Arm& arm : arms) {
    for (const ArmUnit& unit : arm.units) {
      if (FindCell(unit, asked) == nullptr) return &unit;
    }
  }
  return nullptr;
}

/// Every cell of any run, each once. A probe has no right answers to be compared by.
std::vector<const ResultsFile*> AllCells(const std::vector<Arm>& arms) {
  std::vector<const ResultsFile*> cells;
  for (const Arm& arm : arms) {
    for (const ArmUnit& unit : arm.units) {
      for (const ResultsFile& result : unit.results) {
        const bool known = std::any_of(cells.begin(), cells.end(), [&](const ResultsFile* other) {
          return SameCell(result, *other);
        });
        if (!known && result.cell.key.split != Split::kProbe) cells.push_back(&result);
      }
    }
  }
  return cells;
}

/// Mean over units of what `value_of` says of each cell; NaN where one says nothing.
template <class ValueOf>
double MeanOver(const std::vector<const ResultsFile*>& units, const ValueOf& value_of) {
  double sum = 0;
  for (const ResultsFile* unit : units) sum += value_of(unit->cell);
  return sum / static_cast<double>(units.size());
}

double EstimateOf(const ReferenceResult* reference) {
  return reference == nullptr ? kNan : reference->estimate.value;
}

/// A heuristic by its name, measured rather than known.
double HeuristicNamed(const CellResult& cell, const std::string& name) {
  double value = kNan;
  for (const ReferenceResult& reference : cell.references) {  // measured ones come last
    if (reference.role == Role::kHeuristic && reference.name == name) {
      value = reference.estimate.value;
    }
  }
  return value;
}

void PutBestHeuristic(ArmScore& score) {
  const CellResult& example = score.units[0]->cell;
  score.best_heuristic = kNan;
  for (const ReferenceResult& reference : example.references) {
    if (reference.role != Role::kHeuristic) continue;
    const double mean = MeanOver(
        score.units, [&](const CellResult& cell) { return HeuristicNamed(cell, reference.name); });
    const bool better =
        example.higher_is_better ? mean > score.best_heuristic : mean < score.best_heuristic;
    if (!std::isfinite(mean) || !(better || std::isnan(score.best_heuristic))) continue;
    score.best_heuristic = mean;
    score.best_heuristic_name = reference.name;
  }
}

SuccessCount CountSuccesses(const ArmScore& score, double bound) {
  const bool higher = score.units[0]->cell.higher_is_better;
  SuccessCount count;
  count.trials = std::ssize(score.values);
  count.successes = std::count_if(score.values.begin(), score.values.end(), [&](double value) {
    return higher ? value >= bound : value <= bound;
  });
  count.rate = ClopperPearson(count.successes, count.trials);
  return count;
}

ArmScore ScoreOf(const Arm& arm, const ResultsFile& asked, std::optional<double> success) {
  ArmScore score;
  for (const ArmUnit& unit : arm.units) {
    const ResultsFile* result = FindCell(unit, asked);
    score.units.push_back(result);
    score.values.push_back(result->cell.value.value);
    score.state_bytes = std::max(score.state_bytes, result->cell.state_bytes_live);
  }
  score.mean = score.units.size() == 1 ? score.units[0]->cell.value
                                       : BootstrapMean(score.values, /*seed=*/0);
  score.ceiling = MeanOver(score.units, [](const CellResult& cell) {
    return EstimateOf(FindPaired(cell, Role::kCeiling));
  });
  score.chance = MeanOver(score.units, [](const CellResult& cell) {
    return EstimateOf(FindReference(cell, Role::kChance));
  });
  PutBestHeuristic(score);
  if (success) score.success = CountSuccesses(score, *success);
  return score;
}

/// Each set of sequences counts once, whoever was scored on it.
std::vector<std::pair<std::string, double>> MeanStatistics(const std::vector<ArmScore>& arms) {
  std::set<int64_t> seeds;
  std::vector<const ResultsFile*> sets;
  for (const ArmScore& arm : arms) {
    for (const ResultsFile* unit : arm.units) {
      if (seeds.insert(unit->origin.seed).second) sets.push_back(unit);
    }
  }
  std::vector<std::pair<std::string, double>> means;
  for (const auto& [name, value] : sets[0]->cell.statistics) {
    const std::string& sought = name;
    means.emplace_back(name, MeanOver(sets, [&](const CellResult& cell) {
                         for (const auto& [other, number] : cell.statistics) {
                           if (other == sought) return number;
                         }
                         return kNan;
                       }));
  }
  return means;
}

CellComparison CompareCell(const std::vector<Arm>& arms, const ResultsFile& asked,
                           std::optional<double> success) {
  CellComparison cell;
  for (const Arm& arm : arms) cell.arms.push_back(ScoreOf(arm, asked, success));
  for (size_t i = 0; i < arms.size(); ++i) {
    for (size_t j = i + 1; j < arms.size(); ++j) {
      ArmDifference pair = DifferenceOf(arms[i], cell.arms[i], arms[j], cell.arms[j]);
      pair.first = i;
      pair.second = j;
      if (success) {
        const SuccessCount& a = *cell.arms[i].success;
        const SuccessCount& b = *cell.arms[j].success;
        pair.fisher_p = FisherTest(a.successes, a.trials, b.successes, b.trials);
      }
      cell.pairs.push_back(std::move(pair));
    }
  }
  MarkReversals(arms, cell.pairs);
  cell.statistics = MeanStatistics(cell.arms);
  return cell;
}

}  // namespace

ArmComparison CompareArms(const std::vector<Arm>& arms, std::optional<double> success) {
  ArmComparison comparison;
  std::string lacking;
  for (const ResultsFile* asked : AllCells(arms)) {
    const ArmUnit* unit = WhoLacks(arms, *asked);
    if (unit == nullptr) {
      comparison.cells.push_back(CompareCell(arms, *asked, success));
      continue;
    }
    if (lacking.empty()) lacking = fmt::format(" ({} lacks {})", unit->run, CellText(*asked));
    comparison.left_out.push_back(CellText(*asked));
  }
  if (comparison.cells.empty()) {
    throw Error(ExitCode::kUsage, fmt::format("no cell was scored in every run{}; evaluate all of "
                                              "them alike",
                                              lacking));
  }
  std::stable_sort(comparison.cells.begin(), comparison.cells.end(),
                   [](const CellComparison& a, const CellComparison& b) {
                     return a.Example().cell.key.length < b.Example().cell.key.length;
                   });
  return comparison;
}

}  // namespace ssm
