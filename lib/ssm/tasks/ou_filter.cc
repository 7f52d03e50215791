#include "ssm/tasks/ou_filter.h"

#include <cmath>
#include <cstdlib>

namespace ssm {
namespace {

/// E[z_{t-lag} v_t] with m = E[z_s v_s] at s = t - lag: m leaks, and each later sample adds.
double LaggedCovariance(const OuLaw& law, double leak, int64_t lag, double m) {
  double reach = 1;
  for (int64_t i = 0; i < lag; ++i) {
    reach *= law.decay;
    m = leak * m + (1 - leak) * (1 - law.miss) * reach;
  }
  return m;
}

}  // namespace

double FilterVariance(double decay, double noise) {
  const double a = decay * decay;
  const double q = 1 - a;
  const double r = noise * noise;
  const double b = r * q - q;  // r - a r - q
  const double root = std::sqrt(b * b + 4 * q * r);
  // The positive root of p^2 + b p - q r, without cancellation.
  const double p = b > 0 ? 2 * q * r / (b + root) : (root - b) / 2;
  return p * r / (p + r);
}

FixedLagSmoother::FixedLagSmoother(const OuLaw& law, int64_t lag)
    : decay_(law.decay),
      drive_(1 - law.decay * law.decay),
      noise_variance_(law.noise * law.noise),
      mean_(static_cast<size_t>(lag) + 1, 0.0),
      covariance_(static_cast<size_t>(lag) + 1, 0.0) {}

void FixedLagSmoother::Step(bool seen, double x) {
  const size_t size = mean_.size();
  double predicted_mean = 0;
  double predicted = 1;  // the first z has its stationary law
  if (filled_ > 0) {
    predicted_mean = decay_ * mean_[newest_];
    predicted = decay_ * decay_ * covariance_[newest_] + drive_;
    newest_ = (newest_ + 1) % size;
  }
  if (filled_ < size) ++filled_;
  oldest_ = filled_ < size ? 0 : (newest_ + 1) % size;
  for (size_t j = 0; j < filled_; ++j) covariance_[j] *= decay_;
  mean_[newest_] = predicted_mean;
  covariance_[newest_] = predicted;
  if (!seen) return;
  const double innovation = predicted + noise_variance_;
  const double surprise = (x - predicted_mean) / innovation;
  const double kept = noise_variance_ / innovation;  // 1 - K
  for (size_t j = 0; j < filled_; ++j) {
    mean_[j] += covariance_[j] * surprise;
    covariance_[j] *= kept;
  }
}

double LeakyGain(const OuLaw& law, double leak, int64_t lag) {
  const double p = 1 - law.miss;
  const double m = (1 - leak) * p / (1 - leak * law.decay);
  const double variance = (1 - leak) * p *
                          (2 * leak * law.decay * m + (1 - leak) * (1 + law.noise * law.noise)) /
                          (1 - leak * leak);
  return LaggedCovariance(law, leak, lag, m) / variance;
}

double LeakyError(const OuLaw& law, double leak, int64_t lag, int64_t begin, int64_t end) {
  const double gain = LeakyGain(law, leak, lag);
  const double p = 1 - law.miss;
  const double add = (1 - leak) * p;
  const double sample = 1 + law.noise * law.noise;
  double m = 0;         // E[z_t v_t]
  double m_at_lag = 0;  // E[z_s v_s], s = t - lag
  double variance = 0;
  double sum = 0;
  // The lagged covariance is affine in m.
  const double offset = LaggedCovariance(law, leak, lag, 0);
  const double slope = LaggedCovariance(law, leak, lag, 1) - offset;
  for (int64_t t = 0; t < end; ++t) {
    variance = leak * leak * variance + 2 * leak * add * law.decay * m + (1 - leak) * add * sample;
    m = leak * law.decay * m + add;
    if (t >= lag) m_at_lag = leak * law.decay * m_at_lag + add;
    if (t < begin) continue;
    const double lagged = offset + slope * m_at_lag;
    sum += 1 - 2 * gain * lagged + gain * gain * variance;
  }
  return sum / static_cast<double>(end - begin);
}

double StaticError(const OuLaw& law, int64_t lag) {
  const double reach = std::pow(law.decay, 2 * static_cast<double>(lag));
  return 1 - (1 - law.miss) * reach / (1 + law.noise * law.noise);
}

double LastObservedError(const OuLaw& law, int64_t lag) {
  double known = 0;
  double odds = 1 - law.miss;
  for (int64_t age = 0; odds > 1e-18; ++age, odds *= law.miss) {
    known += odds * std::pow(law.decay, 2 * static_cast<double>(std::abs(age - lag)));
  }
  return 1 - known / (1 + law.noise * law.noise);
}

}  // namespace ssm
