#include "ssm/evaluation/task_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ssm/tasks/scorer.h"

namespace ssm {
namespace {

constexpr size_t kOctaves = 65;  // of any 64-bit lag

void AddTo(std::vector<double>& into, const std::vector<double>& from) {
  for (size_t i = 0; i < into.size(); ++i) into[i] += from[i];
}

}  // namespace

void TaskStatistics::Moments::Add(double x, double weight) {
  count += weight;
  const double step = x - center;
  center += step * (weight / count);
  squares += weight * step * (x - center);
}

void TaskStatistics::Moments::Merge(const Moments& other) {
  if (other.count == 0) return;
  const double step = other.center - center;
  squares += other.squares + step * step * (count * other.count / (count + other.count));
  count += other.count;
  center += step * (other.count / count);
}

TaskStatistics::TaskStatistics(const TaskSpec& spec)
    : inputs(spec.reals.size()),
      input_scored(spec.reals.size()),
      input_target(spec.reals.size(), 0),
      lag_octaves(spec.has_lags ? kOctaves : 0, 0) {
  const auto found = std::find(spec.reals.begin(), spec.reals.end(), "seen");
  if (found != spec.reals.end()) observed_ = found - spec.reals.begin();
  for (const StratumAxis& axis : spec.strata) strata.emplace_back(axis.labels.size(), 0.0);
}

void TaskStatistics::Add(const TaskSpec& spec, const TaskPiece& piece) {
  const int64_t channels = std::ssize(spec.reals);
  const int64_t outputs = spec.objective == Objective::kSoftmaxCrossEntropy ? 1 : spec.outputs;
  const int64_t axes = std::ssize(spec.strata);
  for (int64_t b = 0; b < piece.rows; ++b) {
    const int64_t length = piece.lengths.size() > 0 ? piece.lengths[b] : piece.steps;
    tokens += length;
    for (int64_t t = 0; t < length; ++t) {
      const int64_t at = b * piece.steps + t;
      double weight = 0;
      for (int64_t o = 0; o < outputs; ++o) {
        const double w = piece.weights[spec.weights_per_output ? at * outputs + o : at];
        if (w != 0) target.Add(piece.targets[at * outputs + o], w);
        weight = spec.weights_per_output ? weight + w : w;
      }
      const double* x_at = piece.reals.data() + at * channels;
      const bool paired = weight != 0 && outputs == 1 && (observed_ < 0 || x_at[observed_] != 0);
      if (paired) target_seen.Add(piece.targets[at], weight);
      for (int64_t c = 0; c < channels; ++c) {
        const size_t channel = static_cast<size_t>(c);
        const double x = x_at[c];
        inputs[channel].Add(x);
        if (!paired) continue;
        input_scored[channel].Add(x, weight);
        input_target[channel] += weight * x * piece.targets[at];
      }
      if (weight == 0) continue;
      scored += weight;
      if (piece.lags.size() > 0 && piece.lags[at] >= 0) {
        lag_octaves[static_cast<size_t>(LagOctave(piece.lags[at]))] += weight;
      }
      for (int64_t s = 0; piece.strata.size() > 0 && s < axes; ++s) {
        strata[static_cast<size_t>(s)][static_cast<size_t>(piece.strata[at * axes + s])] += weight;
      }
    }
  }
}

void TaskStatistics::Merge(const TaskStatistics& other) {
  tokens += other.tokens;
  scored += other.scored;
  target.Merge(other.target);
  target_seen.Merge(other.target_seen);
  for (size_t c = 0; c < inputs.size(); ++c) {
    inputs[c].Merge(other.inputs[c]);
    input_scored[c].Merge(other.input_scored[c]);
  }
  AddTo(input_target, other.input_target);
  AddTo(lag_octaves, other.lag_octaves);
  for (size_t s = 0; s < strata.size(); ++s) AddTo(strata[s], other.strata[s]);
}

std::vector<std::pair<std::string, double>> TaskStatistics::Named(const TaskSpec& spec) const {
  std::vector<std::pair<std::string, double>> named;
  if (tokens == 0) return named;
  named.emplace_back("tokens", static_cast<double>(tokens));
  named.emplace_back("scored_fraction", scored / static_cast<double>(tokens));
  if (target.count > 0) {
    named.emplace_back("target_mean", target.mean());
    named.emplace_back("target_variance", target.variance());
  }
  double strongest = 0;
  for (size_t c = 0; c < inputs.size(); ++c) {
    if (static_cast<int64_t>(c) == observed_) {
      named.emplace_back("fraction_missing", 1 - inputs[c].mean());
    } else if (const double rho2 = SquaredCorrelation(c); rho2 > strongest && rho2 < 1) {
      strongest = rho2;
    }
  }
  if (strongest > 0 && spec.objective == Objective::kSquaredError) {
    named.emplace_back("signal_to_noise", strongest / (1 - strongest));
  }
  return named;
}

double TaskStatistics::SquaredCorrelation(size_t c) const {
  const Moments& x = input_scored[c];
  if (x.count == 0) return std::numeric_limits<double>::quiet_NaN();
  const double covariance = input_target[c] / x.count - x.mean() * target_seen.mean();
  const double scale = x.variance() * target_seen.variance();
  return scale > 0 ? covariance * covariance / scale : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace ssm
