#include "ssm/tasks/track_stream.h"

#include <algorithm>
#include <cmath>

#include "ssm/base/text.h"
#include "ssm/tasks/ou_smoother_error.h"

namespace ssm {
namespace {

/// The estimators that run beside a stream.
class TrackObservers {
 public:
  explicit TrackObservers(const TrackLaw& law)
      : smoother_(law.ou, law.lag),
        lag_(law.lag),
        can_miss_(law.ou.miss > 0),
        decay_(law.ou.decay),
        shrink_(1 / (1 + law.ou.noise * law.ou.noise)),
        reach_(std::pow(law.ou.decay, static_cast<double>(law.lag))),
        v_(law.leak_taus.size(), 0.0) {
    for (size_t i = 0; i < v_.size(); ++i) {
      leaks_.push_back(law.Leak(i));
      gains_.push_back(LeakyGain(law.ou, leaks_[i], lag_));
    }
  }

  void Step(bool seen, double x) {
    smoother_.Step(seen, x);
    now_ = x;
    age_ = seen ? 0 : age_ + 1;
    if (seen) last_ = x;
    for (size_t i = 0; i < v_.size(); ++i) v_[i] = leaks_[i] * v_[i] + (1 - leaks_[i]) * x;
  }

  int64_t references() const { return std::ssize(v_) + (can_miss_ ? 4 : 3); }

  void Write(double* out) const {
    *out++ = smoother_.lagged_mean();
    *out++ = reach_ * shrink_ * now_;
    if (can_miss_) {
      const double apart = static_cast<double>(std::abs(age_ - lag_));
      *out++ = std::pow(decay_, apart) * shrink_ * last_;
    }
    for (size_t i = 0; i < v_.size(); ++i) *out++ = gains_[i] * v_[i];
    *out = 0;
  }

  double filtered() const { return smoother_.mean(); }

 private:
  FixedLagSmoother smoother_;
  int64_t lag_;
  bool can_miss_;
  double decay_, shrink_, reach_;
  std::vector<double> leaks_, gains_, v_;
  double now_ = 0, last_ = 0;
  int64_t age_ = 0;
};

class TrackStream final : public SequenceStream {
 public:
  TrackStream(const TrackLaw& law, Random random, bool observe)
      : law_(law),
        random_(random),
        drive_(std::sqrt(1 - law.ou.decay * law.ou.decay)),
        past_(static_cast<size_t>(law.lag) + 1, 0.0) {
    if (observe) observers_ = std::make_unique<TrackObservers>(law);
  }

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, law_.steps - at_);
    const int64_t channels = law_.ou.miss > 0 ? 2 : 1;
    for (int64_t k = 0; k < count; ++k, ++at_) {
      const double shock = random_.Normal();
      z_ = at_ == 0 ? shock : law_.ou.decay * z_ + drive_ * shock;
      const double drawn = z_ + law_.ou.noise * random_.Normal();
      const bool seen = channels == 1 || !random_.Bernoulli(law_.ou.miss);
      const double x = seen ? drawn : 0;
      since_seen_ = seen ? 0 : since_seen_ + 1;
      if (row.reals != nullptr) {
        row.reals[k * channels] = x;
        if (channels == 2) row.reals[k * channels + 1] = seen ? 1 : 0;
      }
      const double target = Target();
      if (row.targets != nullptr) row.targets[k] = target;
      if (row.weights != nullptr) row.weights[k] = at_ >= law_.burn ? 1 : 0;
      if (row.lags != nullptr) row.lags[k] = law_.lag > 0 ? law_.lag : since_seen_;
      if (observers_ != nullptr) Observe(k, row, seen, x);
    }
    return count;
  }

 private:
  void Observe(int64_t k, const PieceRow& row, bool seen, double x) {
    observers_->Step(seen, x);
    if (row.references != nullptr) {
      observers_->Write(row.references + k * observers_->references());
    }
    if (row.latents == nullptr) return;
    row.latents[2 * k] = z_;
    row.latents[2 * k + 1] = observers_->filtered();
  }

  /// Keeps z_t and gives z_{t-lag}; 0 before there is one.
  double Target() {
    if (law_.lag == 0) return z_;
    past_[ring_] = z_;
    ring_ = ring_ + 1 == past_.size() ? 0 : ring_ + 1;
    return past_[ring_];
  }

  TrackLaw law_;
  Random random_;
  double drive_;
  std::vector<double> past_;
  size_t ring_ = 0;
  double z_ = 0;
  int64_t at_ = 0, since_seen_ = 0;
  std::unique_ptr<TrackObservers> observers_;
};

std::string LeakyName(double tau) { return "leaky tau " + FormatNumber(tau); }

}  // namespace

double TrackLaw::Leak(size_t i) const { return std::exp(-1 / leak_taus[i]); }

std::unique_ptr<SequenceStream> MakeTrackStream(const TrackLaw& law, Random random, bool observe) {
  return std::make_unique<TrackStream>(law, random, observe);
}

std::vector<Reference> TrackReferences(const TrackLaw& law, const std::vector<double>& named_taus) {
  std::vector<Reference> list{{law.lag > 0 ? "fixed-lag smoother" : "kalman", Role::kCeiling},
                              {"static", Role::kHeuristic}};
  if (law.ou.miss > 0) list.push_back({"last observed", Role::kHeuristic});
  for (const double tau : named_taus) list.push_back({LeakyName(tau), Role::kHeuristic});
  list.push_back({"predict 0", Role::kChance});
  return list;
}

std::vector<KnownValue> TrackKnown(const TrackLaw& law, const std::vector<double>& named_taus) {
  const std::vector<Reference> references = TrackReferences(law, named_taus);
  std::vector<double> values{SmootherError(law.ou, law.lag), StaticError(law.ou, law.lag)};
  std::vector<std::string> basis{law.ou.miss > 0
                                     ? "deterministic mean over missing samples, steady state"
                                     : "closed form, steady state",
                                 "closed form"};
  if (law.ou.miss > 0) {
    values.push_back(LastObservedError(law.ou, law.lag));
    basis.push_back("closed form, steady state");
  }
  for (size_t i = 0; i < named_taus.size(); ++i) {
    values.push_back(LeakyError(law.ou, law.Leak(i), law.lag, law.burn, law.steps));
    basis.push_back("closed form over the scored steps");
  }
  values.push_back(1);
  basis.push_back("closed form");
  std::vector<KnownValue> known;
  for (size_t i = 0; i < references.size(); ++i) {
    known.push_back({"nmse", references[i].role, references[i].name, values[i], basis[i]});
  }
  return known;
}

}  // namespace ssm
