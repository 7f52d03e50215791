#include "ssm/evaluation/cell_result.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ssm {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLevel = 0.95;

double Total(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

Interval IntervalOf(const Tally& tally) {
  if (tally.metric == "accuracy") {
    return ClusteredProportion(tally.numerator, tally.denominator, kLevel);
  }
  Interval interval = RatioOfSums(tally.numerator, tally.denominator, kLevel);
  // A mean of errors, none of them negative, is not negative either.
  const bool positive = std::all_of(tally.numerator.begin(), tally.numerator.end(),
                                    [](double error) { return error >= 0; });
  if (positive && interval.low < 0) interval.low = 0;
  return interval;
}

Interval DifferenceOf(const Tally& a, const Tally& b) {
  const auto difference = a.metric == "accuracy" ? ProportionDifference : PairedDifference;
  return difference(a.numerator, a.denominator, b.numerator, b.denominator, kLevel);
}

/// "" where the model's metric is a number.
std::string WhyUndefined(const Tally* model, const Interval& value) {
  if (std::isfinite(value.value)) return "";
  if (model == nullptr) return "no step is scored";
  if (Total(model->denominator) == 0) {
    return "the target does not vary in this split, so " + model->metric + " has no unit";
  }
  return "the model's answers are not all finite";
}

Interval Without(Interval a, double b) { return {a.value - b, a.low - b, a.high - b}; }

const Tally* FindTally(const Score& score, std::string_view subject, std::string_view metric,
                       std::string_view axis, std::string_view label) {
  for (const Tally& tally : score.tallies) {
    if (tally.subject == subject && tally.metric == metric && tally.axis == axis &&
        tally.label == label) {
      return &tally;
    }
  }
  return nullptr;
}

/// Known values of the metric first, then what ran beside the model.
std::vector<ReferenceResult> References(const CellScore& cell, const TaskSpec& spec,
                                        const std::vector<KnownValue>& known, const Tally* model,
                                        const Interval& value) {
  std::vector<ReferenceResult> results;
  for (const KnownValue& fact : known) {
    if (fact.metric != spec.metric) continue;
    results.push_back(
        {fact.name, fact.role, fact.basis, {fact.value, kNan, kNan}, Without(value, fact.value)});
  }
  for (const Reference& reference : spec.references) {
    const Tally* tally = FindTally(cell.score, reference.name, spec.metric, "", "");
    if (tally == nullptr || model == nullptr) continue;
    results.push_back({reference.name, reference.role, std::string(kSameSequences),
                       IntervalOf(*tally), DifferenceOf(*model, *tally)});
  }
  return results;
}

AxisResult& AxisNamed(std::vector<AxisResult>& axes, const std::string& name) {
  for (AxisResult& axis : axes) {
    if (axis.axis == name) return axis;
  }
  return axes.emplace_back(AxisResult{name, {}});
}

/// Denominators may carry the variance of a target: shares are of these, within one axis.
std::vector<AxisResult> Axes(const CellScore& cell, const TaskSpec& spec) {
  std::vector<AxisResult> axes;
  for (const Tally& tally : cell.score.tallies) {
    if (tally.subject != "model" || tally.metric != spec.metric || tally.axis.empty()) continue;
    GroupResult group{tally.label, Total(tally.denominator), IntervalOf(tally), {}};
    for (const Reference& reference : spec.references) {
      const Tally* other =
          FindTally(cell.score, reference.name, spec.metric, tally.axis, tally.label);
      if (other == nullptr) continue;
      group.references.emplace_back(reference.name,
                                    Total(other->numerator) / Total(other->denominator));
    }
    AxisNamed(axes, tally.axis).groups.push_back(std::move(group));
  }
  for (AxisResult& axis : axes) {
    double all = 0;
    for (const GroupResult& group : axis.groups) all += group.share;
    for (GroupResult& group : axis.groups) group.share /= all;
  }
  return axes;
}

bool Better(const CellResult& cell, double a, double b) {
  return cell.higher_is_better ? a > b : a < b;
}

}  // namespace

CellResult Summarise(const CellScore& score, const TaskSpec& spec,
                     const std::vector<KnownValue>& known) {
  CellResult cell;
  cell.key = score.key;
  cell.metric = spec.metric;
  cell.higher_is_better = spec.higher_is_better;
  cell.value = {kNan, kNan, kNan};
  const Tally* model = FindTally(score.score, "model", spec.metric, "", "");
  if (model != nullptr) cell.value = IntervalOf(*model);
  cell.undefined = WhyUndefined(model, cell.value);
  cell.loss = score.loss();
  cell.sequences = std::count_if(score.loss_weight.begin(), score.loss_weight.end(),
                                 [](double weight) { return weight > 0; });
  for (const Tally& tally : score.score.tallies) {
    if (tally.subject != "model" || !tally.axis.empty() || tally.metric == spec.metric) continue;
    cell.other_metrics.emplace_back(tally.metric, IntervalOf(tally));
  }
  cell.references = References(score, spec, known, model, cell.value);
  cell.axes = Axes(score, spec);
  cell.curves = score.score.curves;
  cell.statistics = score.statistics.Named(spec);
  cell.state_bytes_live = score.state_bytes_live;
  cell.state_bytes_capacity = score.state_bytes_capacity;
  for (const PassCount& count : score.counts) cell.counts->emplace_back(count.name, count.n);
  return cell;
}

std::optional<int64_t> CountOf(const CellResult& cell, std::string_view name) {
  if (!cell.counts) return std::nullopt;
  for (const auto& [known, n] : *cell.counts) {
    if (known == name) return n;
  }
  return std::nullopt;
}

ClusterSums MetricSums(const CellScore& score, const TaskSpec& spec) {
  const Tally* model = FindTally(score.score, "model", spec.metric, "", "");
  if (model == nullptr) return {};
  return {model->numerator, model->denominator};
}

const ReferenceResult* FindReference(const CellResult& cell, Role role) {
  for (const ReferenceResult& reference : cell.references) {
    if (reference.role == role) return &reference;
  }
  return nullptr;
}

const ReferenceResult* FindPaired(const CellResult& cell, Role role) {
  for (const ReferenceResult& reference : cell.references) {
    if (reference.role == role && reference.measured()) return &reference;
  }
  return FindReference(cell, role);
}

const ReferenceResult* BestHeuristic(const CellResult& cell) {
  const ReferenceResult* best = nullptr;
  for (const ReferenceResult& candidate : cell.references) {
    if (candidate.role != Role::kHeuristic || !std::isfinite(candidate.estimate.value)) continue;
    const bool measured_elsewhere =
        !candidate.measured() &&
        std::any_of(cell.references.begin(), cell.references.end(), [&](const auto& other) {
          return other.measured() && other.name == candidate.name;
        });
    if (measured_elsewhere) continue;
    if (best == nullptr || Better(cell, candidate.estimate.value, best->estimate.value)) {
      best = &candidate;
    }
  }
  return best;
}

Interval ExcessOverCeiling(const CellResult& cell) {
  const ReferenceResult* ceiling = FindPaired(cell, Role::kCeiling);
  if (cell.higher_is_better || ceiling == nullptr || !(ceiling->estimate.value > 0)) {
    return {kNan, kNan, kNan};
  }
  const double scale = ceiling->estimate.value;
  const Interval& difference = ceiling->difference;
  return {difference.value / scale, difference.low / scale, difference.high / scale};
}

}  // namespace ssm
