#include "ssm/tasks/gaussian_evidence.h"

#include <algorithm>
#include <cmath>

namespace ssm {
void LogSum::Add(double term) {
  if (term <= largest_) {
    sum_ += std::exp(term - largest_);
  } else {
    sum_ = sum_ * std::exp(largest_ - term) + 1;
    largest_ = term;
  }
}

double MixtureLogOdds(double v, double gain, double variance, std::span<const double> drifts) {
  if (!(variance > 0)) return 0;
  if (drifts.size() == 1) return 2 * drifts[0] * gain * v / variance;
  LogSum plus;
  LogSum minus;
  for (const double m : drifts) {
    const double linear = m * gain * v / variance;
    const double square = m * gain * m * gain / (2 * variance);
    plus.Add(linear - square);
    minus.Add(-linear - square);
  }
  return plus.value() - minus.value();
}

BinomialWeights::BinomialWeights(int64_t n, double p) {
  const double count = static_cast<double>(n);
  const int64_t mode = std::clamp(static_cast<int64_t>(std::floor((count + 1) * p)), int64_t{0}, n);
  const double odds = p / (1 - p);  // inf at p = 1, where the mode is n and nothing is above
  std::vector<double> below;
  double weight = 1;
  for (int64_t k = mode; k > 0 && weight > 1e-20; --k) {
    weight *= static_cast<double>(k) / static_cast<double>(n - k + 1) / odds;
    below.push_back(weight);
  }
  first = mode - static_cast<int64_t>(below.size());
  weights.assign(below.rbegin(), below.rend());
  weights.push_back(1);
  weight = 1;
  for (int64_t k = mode; k < n && weight > 1e-20; ++k) {
    weight *= static_cast<double>(n - k) / static_cast<double>(k + 1) * odds;
    weights.push_back(weight);
  }
  double sum = 0;
  for (const double w : weights) sum += w;
  for (double& w : weights) w /= sum;
}

double MajorityAccuracy(int64_t n, double p) {
  const BinomialWeights law(n, p);
  double right = 0;
  for (size_t i = 0; i < law.weights.size(); ++i) {
    const int64_t twice = 2 * (law.first + static_cast<int64_t>(i));
    if (twice > n) right += law.weights[i];
    if (twice == n) right += law.weights[i] / 2;
  }
  return right;
}

double Phi(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

}  // namespace ssm
