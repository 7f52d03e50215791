// What a sum of Gaussian samples says about the sign of their mean.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace ssm {

/// Running ln of a sum of exp of finite terms; -inf before the first.
class LogSum {
 public:
  void Add(double term);
  double value() const { return largest_ + std::log(sum_); }

 private:
  double largest_ = -std::numeric_limits<double>::infinity();
  double sum_ = 0;
};

/// Log-odds of + against - given v ~ N(+-m gain, variance), m one of `drifts` with equal odds, both
/// signs alike: ln sum_m exp((m g v - m^2 g^2 / 2) / V) - ln sum_m exp((-m g v - m^2 g^2 / 2) / V).
/// The exact integrator of n samples of sd s is v = their sum, gain n, variance n s^2. Nothing
/// observed (variance 0) is 0.
double MixtureLogOdds(double v, double gain, double variance, std::span<const double> drifts);

/// The distribution of the number of successes in n trials, cut where weights fall below 1e-20 of
/// the largest; normalised. O(sqrt(n)) for inner p.
struct BinomialWeights {
  BinomialWeights(int64_t n, double p);
  int64_t first = 0;  // successes of weights[0]
  std::vector<double> weights;
};

/// P(more than half of n fair votes are right) + P(just half) / 2, each right with probability p.
double MajorityAccuracy(int64_t n, double p);

/// Standard normal distribution function.
double Phi(double x);

}  // namespace ssm
