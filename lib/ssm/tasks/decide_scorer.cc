#include "ssm/tasks/decide_scorer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double Sigmoid(double logit) {
  const double small = std::exp(-std::fabs(logit));
  return (logit >= 0 ? 1 : small) / (1 + small);
}

int64_t Length(const TaskPiece& piece, int64_t row) {
  return piece.lengths.size() == 0 ? piece.steps : piece.lengths[row];
}

}  // namespace

void CalibrationScorer::Add(int64_t first, const TaskPiece& piece, const double* y) {
  ObjectiveScorer::Add(first, piece, y);
  const int64_t references = std::ssize(spec_.references);
  for (int64_t row = 0; row < piece.rows; ++row) {
    for (int64_t t = 0; t < Length(piece, row); ++t) {
      const int64_t at = row * piece.steps + t;
      const double w = piece.weights[at];
      if (w == 0) continue;
      const double exact = piece.references[at * references];
      const double p = Sigmoid(y[at]);
      logit_gap_.Add(first + row, w * std::fabs(y[at] - exact), w);
      posterior_gap_.Add(first + row, w * std::fabs(p - Sigmoid(exact)), w);
      answers_.push_back({first + row, p, piece.targets[at], w});
    }
  }
}

SequenceSums CalibrationScorer::ExpectedCalibrationError() const {
  constexpr int kBins = 15;
  const auto bin_of = [](double p) {
    return static_cast<size_t>(std::clamp(static_cast<int>(p * kBins), 0, kBins - 1));
  };
  std::array<double, kBins> gap{};
  for (const Answer& a : answers_) {
    if (!std::isnan(a.p)) gap[bin_of(a.p)] += a.weight * (a.p - a.label);
  }
  SequenceSums sums;
  for (const Answer& a : answers_) {
    const double sign = std::isnan(a.p) ? kNaN : (gap[bin_of(a.p)] < 0 ? -1 : 1);
    sums.Add(a.sequence, sign * a.weight * (a.p - a.label), a.weight);
  }
  return sums;
}

Score CalibrationScorer::Finish() {
  Score score = ObjectiveScorer::Finish();
  const auto add = [&](const SequenceSums& sums, const char* metric) {
    if (!sums.empty()) score.tallies.push_back(sums.ToTally("model", metric, "", "", sequences()));
  };
  add(logit_gap_, "logit_gap");
  add(posterior_gap_, "posterior_gap");
  add(ExpectedCalibrationError(), "ece");
  return score;
}

void KernelScorer::Add(int64_t first, const TaskPiece& piece, const double* y) {
  ObjectiveScorer::Add(first, piece, y);
  const int64_t channels = std::ssize(spec_.reals);
  const int64_t references = std::ssize(spec_.references);
  for (int64_t row = 0; row < piece.rows; ++row) {
    std::vector<double>& noise = open_[first + row];
    for (int64_t t = 0; t < Length(piece, row); ++t) {
      const int64_t at = row * piece.steps + t;
      const double* input = piece.reals.data() + at * channels;
      noise.push_back(can_miss_ && input[1] == 0 ? kNaN : input[0] / sigma_);
      if (piece.weights[at] == 0) continue;
      const int64_t delay = piece.lags.size() == 0 ? 0 : piece.lags[at];
      EndTrial(first + row, std::ssize(noise) - delay, y[at], piece.references[at * references]);
      break;
    }
  }
}

void KernelScorer::EndTrial(int64_t sequence, int64_t stimulus, double model, double exact) {
  SSM_CHECK(stimulus_ == 0 || stimulus == stimulus_, "trials of one kernel have one length");
  stimulus_ = stimulus;
  const std::vector<double>& noise = open_[sequence];
  const int64_t bins = std::min(kBins, stimulus);
  Trial trial{model, exact, std::vector<double>(static_cast<size_t>(bins)),
              std::vector<double>(static_cast<size_t>(bins))};
  for (int64_t t = 0; t < stimulus; ++t) {
    const double xi = noise[static_cast<size_t>(t)];
    if (std::isnan(xi)) continue;
    const size_t bin = static_cast<size_t>(t * bins / stimulus);
    trial.noise[bin] += xi;
    trial.seen[bin] += 1;
  }
  open_.erase(sequence);
  if (sequence >= std::ssize(trials_)) trials_.resize(static_cast<size_t>(sequence) + 1);
  trials_[static_cast<size_t>(sequence)] = std::move(trial);
}

Curve KernelScorer::Kernel(const std::string& name, double Trial::*answer) const {
  const int64_t bins = std::min(kBins, stimulus_);
  Curve curve{name, {}, {}};
  for (int64_t b = 0; b < bins; ++b) {
    const size_t bin = static_cast<size_t>(b);
    std::array<double, 2> noise{}, seen{};
    for (const Trial& trial : trials_) {
      const double logit = trial.*answer;
      if (trial.noise.empty() || !(std::fabs(logit) > 0)) continue;
      const size_t choice = logit > 0 ? 1 : 0;
      noise[choice] += trial.noise[bin];
      seen[choice] += trial.seen[bin];
    }
    // Bin b holds the steps t with t bins / stimulus in [b, b + 1).
    const int64_t begin = (b * stimulus_ + bins - 1) / bins;
    const int64_t end = ((b + 1) * stimulus_ + bins - 1) / bins;
    curve.x.push_back(0.5 * static_cast<double>(begin + end - 1));
    curve.y.push_back(noise[1] / seen[1] - noise[0] / seen[0]);
  }
  return curve;
}

Score KernelScorer::Finish() {
  Score score = ObjectiveScorer::Finish();
  score.curves.push_back(Kernel("psychophysical_kernel", &Trial::model));
  score.curves.push_back(Kernel("psychophysical_kernel exact", &Trial::exact));
  return score;
}

double MaxOverMin(const Curve& kernel) {
  if (kernel.y.empty()) return kNaN;
  const auto [low, high] = std::minmax_element(kernel.y.begin(), kernel.y.end());
  if (std::isnan(*low + *high)) return kNaN;
  return *low > 0 ? *high / *low : std::numeric_limits<double>::infinity();
}

}  // namespace ssm
