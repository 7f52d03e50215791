#include "ssm/tasks/decide_stream.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ssm/tasks/gaussian_evidence.h"

namespace ssm {
namespace {

class DecideStream final : public SequenceStream {
 public:
  DecideStream(DecideLaw law, Random random)
      : law_(std::move(law)), mask_(random), noise_(random), integrators_(law_.leak_taus.size()) {
    for (size_t i = 0; i < integrators_.size(); ++i) {
      integrators_[i].decay = std::exp(-1 / law_.leak_taus[i]);
    }
    side_ = noise_.Below(2) == 1 ? 1 : -1;
    const size_t which =
        law_.drift.empty()
            ? 0
            : static_cast<size_t>(noise_.Below(static_cast<int64_t>(law_.drift.size())));
    const int64_t total = DrawMask();
    if (law_.dprime > 0) total_drifts_ = law_.DriftsOf(total);
    const double size = law_.drift.empty() ? total_drifts_[0] : law_.drift[which];
    drift_ = law_.zero_drift ? 0 : side_ * size;
    which_ = static_cast<int64_t>(which);
  }

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t channels = law_.miss > 0 ? 3 : 2;
    int64_t k = 0;
    for (; k < n && at_ < law_.steps(); ++k, ++at_) {
      bool seen = false;
      const double x = at_ < law_.stimulus ? Sample(&seen) : Distractor();
      const bool go = at_ == law_.steps() - 1;
      if (row.reals != nullptr) {
        double* input = row.reals + k * channels;
        input[0] = x;
        if (law_.miss > 0) input[1] = seen ? 1 : 0;
        input[channels - 1] = go ? 1 : 0;
      }
      if (go) WriteAnswer(k, row);
      if (row.latents != nullptr) {
        row.latents[2 * k] = LogOdds();
        row.latents[2 * k + 1] = side_ > 0 ? 1 : 0;
      }
    }
    return k;
  }

 private:
  /// Counts the samples that will be seen; the mask itself is drawn again, step by step, from the
  /// same place. A trial of a given d' in which nothing would be seen is drawn anew: its drift
  /// would be infinite.
  int64_t DrawMask() {
    if (!(law_.miss > 0)) {
      mask_ = noise_;
      return law_.stimulus;
    }
    int64_t seen = 0;
    do {
      mask_ = noise_;
      for (int64_t t = 0; t < law_.stimulus; ++t) seen += noise_.Bernoulli(law_.miss) ? 0 : 1;
    } while (seen == 0 && law_.dprime > 0);
    return seen;
  }

  double Sample(bool* seen) {
    *seen = !(law_.miss > 0) || !mask_.Bernoulli(law_.miss);
    const double drawn = drift_ + law_.sigma * noise_.Normal();
    const double variance = law_.sigma * law_.sigma;
    const double x = *seen ? drawn : 0;
    for (Integrator& leaky : integrators_) leaky.Step(x, *seen, *seen ? variance : 0);
    if (!*seen) return 0;
    exact_.Step(x, true, variance);
    (x > 0 ? above_ : below_) += 1;
    last_ = x;
    return x;
  }

  double Distractor() {
    const double sigma = law_.distractor_sigma;
    const double x = sigma > 0 ? sigma * noise_.Normal() : 0;
    for (Integrator& leaky : integrators_) leaky.Step(x, false, sigma * sigma);
    return x;
  }

  const std::vector<double>& Drifts() const {
    return law_.drift.empty() ? total_drifts_ : law_.drift;
  }

  /// Log-odds given everything so far. Where the drift hangs on how many samples will have been
  /// seen in the end, that number is binomial.
  double LogOdds() const {
    const int64_t remaining = std::max<int64_t>(0, law_.stimulus - 1 - at_);
    const int64_t seen = above_ + below_;
    if (seen == 0) return 0;
    if (!(law_.miss > 0 && law_.dprime > 0) || remaining == 0) return Exact();
    const BinomialWeights later(remaining, 1 - law_.miss);
    LogSum plus;
    LogSum minus;
    for (size_t i = 0; i < later.weights.size(); ++i) {
      if (later.weights[i] == 0) continue;
      const double m = law_.DriftOf(seen + later.first + static_cast<int64_t>(i));
      const double linear = m * exact_.v * exact_.gain / exact_.variance;
      const double prior =
          std::log(later.weights[i]) - m * m * exact_.gain * exact_.gain / (2 * exact_.variance);
      plus.Add(prior + linear);
      minus.Add(prior - linear);
    }
    return plus.value() - minus.value();
  }

  double Exact() const { return MixtureLogOdds(exact_.v, exact_.gain, exact_.variance, Drifts()); }

  /// Exact log-odds of an observer who keeps only the signs.
  double MajorityLogOdds() const {
    LogSum plus;
    LogSum minus;
    const double above = static_cast<double>(above_);
    const double below = static_cast<double>(below_);
    constexpr double kTiny = std::numeric_limits<double>::min();  // keeps 0 log 0 at 0
    for (const double m : Drifts()) {
      const double right = std::log(Phi(m / law_.sigma));
      const double wrong = std::log(std::max(Phi(-m / law_.sigma), kTiny));
      plus.Add(above * right + below * wrong);
      minus.Add(above * wrong + below * right);
    }
    return plus.value() - minus.value();
  }

  void WriteAnswer(int64_t k, const PieceRow& row) const {
    if (row.targets != nullptr) row.targets[k] = side_ > 0 ? 1 : 0;
    if (row.weights != nullptr) row.weights[k] = 1;
    if (row.lags != nullptr) row.lags[k] = law_.delay;
    if (row.strata != nullptr) row.strata[k] = which_;
    if (row.references == nullptr) return;
    double* out = row.references + k * (static_cast<int64_t>(integrators_.size()) + 4);
    *out++ = Exact();
    *out++ = MixtureLogOdds(last_, 1, above_ + below_ > 0 ? law_.sigma * law_.sigma : 0, Drifts());
    *out++ = MajorityLogOdds();
    for (const Integrator& leaky : integrators_) {
      *out++ = MixtureLogOdds(leaky.v, leaky.gain, leaky.variance, Drifts());
    }
    *out = 0;
  }

  DecideLaw law_;
  Random mask_, noise_;
  double side_ = 1, drift_ = 0;
  int64_t which_ = 0;  // of the drift list
  std::vector<double> total_drifts_;
  int64_t at_ = 0;
  Integrator exact_;
  std::vector<Integrator> integrators_;
  int64_t above_ = 0, below_ = 0;  // samples seen on either side of 0
  double last_ = 0;
};

}  // namespace

std::unique_ptr<SequenceStream> MakeDecideStream(DecideLaw law, Random random) {
  return std::make_unique<DecideStream>(std::move(law), random);
}

}  // namespace ssm
