#include "ssm/tasks/switch_stream.h"

#include <algorithm>
#include <vector>

#include "ssm/tasks/telegraph_filter.h"

namespace ssm {
namespace {

class SwitchStream final : public SequenceStream {
 public:
  SwitchStream(const SwitchLaw& law, Random random, bool observe)
      : law_(law), random_(random), observe_(observe), v_(law.leak_taus.size(), 0.0) {
    for (size_t i = 0; i < v_.size(); ++i) {
      leaks_.push_back(law.Leak(i));
      weights_.push_back(law.LeakyWeight(leaks_[i]));
    }
    side_ = random_.Below(2) == 1 ? 1 : -1;
  }

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, law_.steps - at_);
    const int64_t channels = law_.miss > 0 ? 2 : 1;
    for (int64_t k = 0; k < count; ++k, ++at_) {
      const double gap = law_.irregular ? random_.Exponential(law_.gap) : law_.gap;
      const double hazard = HazardOver(law_.hazard, gap);
      const bool flips = random_.Bernoulli(hazard) && at_ > 0;
      if (flips) side_ = -side_;
      since_switch_ = flips ? 0 : since_switch_ + (at_ > 0 ? 1 : 0);
      const double drawn = side_ * law_.drift + law_.sigma * random_.Normal();
      const bool seen = channels == 1 || !random_.Bernoulli(law_.miss);
      const double x = seen ? drawn : 0;
      if (row.reals != nullptr) {
        row.reals[k * channels] = x;
        if (channels == 2) row.reals[k * channels + 1] = seen ? 1 : 0;
      }
      if (row.dt != nullptr) row.dt[k] = gap;
      if (row.targets != nullptr) row.targets[k] = side_ > 0 ? 1 : 0;
      if (row.weights != nullptr) row.weights[k] = at_ >= law_.burn ? 1 : 0;
      if (row.lags != nullptr) row.lags[k] = since_switch_;
      if (observe_) Observe(k, row, hazard, x);
    }
    return count;
  }

 private:
  void Observe(int64_t k, const PieceRow& row, double hazard, double x) {
    const double evidence = 2 * law_.drift / (law_.sigma * law_.sigma);  // of a sample of 1
    log_odds_ = HazardPrior(log_odds_, hazard) + evidence * x;
    for (size_t i = 0; i < v_.size(); ++i) v_[i] = leaks_[i] * v_[i] + x;
    if (row.latents != nullptr) {
      row.latents[2 * k] = log_odds_;
      row.latents[2 * k + 1] = side_ > 0 ? 1 : 0;
    }
    if (row.references == nullptr) return;
    double* out = row.references + k * (std::ssize(v_) + 3);
    *out++ = log_odds_;
    *out++ = evidence * x;
    for (size_t i = 0; i < v_.size(); ++i) *out++ = weights_[i] * v_[i];
    *out = 0;
  }

  SwitchLaw law_;
  Random random_;
  bool observe_;
  std::vector<double> leaks_, weights_, v_;
  double side_ = 1, log_odds_ = 0;
  int64_t at_ = 0, since_switch_ = 0;
};

}  // namespace

std::unique_ptr<SequenceStream> MakeSwitchStream(const SwitchLaw& law, Random random,
                                                 bool observe) {
  return std::make_unique<SwitchStream>(law, random, observe);
}

}  // namespace ssm
