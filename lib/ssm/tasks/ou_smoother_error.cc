#include "ssm/tasks/ou_smoother_error.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

/// Posterior variance and what a sample does to it.
struct VarianceStep {
  double predicted;   // after one step without a sample
  double kept;        // 1 - K: the share of it that a sample then leaves
  double innovation;  // variance of what the sample shows anew

  double updated() const { return kept * predicted; }
};

VarianceStep StepFrom(double variance, double decay, double noise) {
  const double predicted = decay * decay * variance + (1 - decay * decay);
  const double innovation = predicted + noise * noise;
  return {predicted, noise * noise / innovation, innovation};
}

/// Of E[z_{t-lag} | x_{t-window+1..t}] when none is missing. O(lag + window), or less when no
/// further sample tells anything.
double ClosedWindowError(double decay, double noise, int64_t lag, int64_t window) {
  double variance = 1;  // of z before the window, then of the newest z
  for (int64_t i = lag; i < window; ++i) {
    const double next = StepFrom(variance, decay, noise).updated();
    if (!(next < variance)) break;
    variance = next;
  }
  double error = variance;  // of the target
  double covariance =       // of the two
      lag > window ? std::pow(decay, static_cast<double>(lag - window)) : variance;
  for (int64_t i = 0; i < std::min(lag, window); ++i) {
    const VarianceStep step = StepFrom(variance, decay, noise);
    covariance *= decay;
    const double less = error - covariance * covariance / step.innovation;
    if (!(less < error)) break;
    error = less;
    covariance *= step.kept;
    variance = step.updated();
  }
  return error;
}

double ClosedSmootherError(double decay, double noise, int64_t lag) {
  const double p = FilterVariance(decay, noise);
  const VarianceStep step = StepFrom(p, decay, noise);
  const double ratio = decay * decay * step.kept * step.kept;
  const double sum = (1 - std::pow(ratio, static_cast<double>(lag))) / (1 - ratio);
  return p - decay * decay * p * p / step.innovation * sum;
}

/// Functions of the posterior variance on Chebyshev points of its logarithm.
class VarianceGrid {
 public:
  explicit VarianceGrid(const OuLaw& law) : law_(law) {
    const double lowest = std::log(FilterVariance(law.decay, law.noise));
    half_ = -lowest / 2;
    size_ = static_cast<size_t>(std::clamp(48 + 6 * -lowest, 48.0, 192.0));
    const double angle = std::acos(-1.0) / static_cast<double>(size_ - 1);
    for (size_t i = 0; i < size_; ++i) {
      points_.push_back(std::cos(angle * static_cast<double>(i)));
      variances_.push_back(std::exp(half_ * (points_[i] - 1)));
    }
    seen_.resize(size_ * size_);
    missed_.resize(size_ * size_);
    for (size_t i = 0; i < size_; ++i) {
      const VarianceStep step = StepFrom(variances_[i], law.decay, law.noise);
      Basis(step.updated(), &seen_[i * size_]);
      Basis(step.predicted, &missed_[i * size_]);
    }
  }

  /// Weights of the stationary mean: any row of a high power of the one-step matrix.
  std::vector<double> Stationary() const {
    std::vector<double> power = OneStep();
    std::vector<double> next(power.size());
    for (int squaring = 0; squaring < 60; ++squaring) {
      Square(power, next);
      std::swap(power, next);
      double spread = 0;
      for (size_t i = size_; i < power.size(); ++i) {
        spread = std::max(spread, std::fabs(power[i] - power[i % size_]));
      }
      if (spread < 1e-15) break;
    }
    power.resize(size_);
    return power;
  }

  /// E[f(P)] after n steps from P = 1.
  double MeanAfter(int64_t n, std::vector<double> f) const {
    std::vector<double> power = OneStep();
    std::vector<double> next(power.size());
    std::vector<double> mean(size_);
    for (; n > 0; n /= 2) {
      if (n % 2 == 1) {
        for (size_t i = 0; i < size_; ++i) mean[i] = Row(power, i, f);
        std::swap(mean, f);
      }
      if (n == 1) break;
      Square(power, next);
      std::swap(power, next);
    }
    return f[0];  // the first point is P = 1
  }

  /// R(P) with E[(variance gained by `lag` further steps) | P] = P^2 R(P).
  std::vector<double> Gained(int64_t lag) const {
    std::vector<double> gained(size_, 0.0);
    std::vector<double> next(size_);
    const double square = law_.decay * law_.decay;
    for (int64_t k = 0; k < lag; ++k) {
      double change = 0;
      for (size_t i = 0; i < size_; ++i) {
        const VarianceStep step = StepFrom(variances_[i], law_.decay, law_.noise);
        const double if_seen = 1 / step.innovation + step.kept * step.kept * Row(seen_, i, gained);
        next[i] = square * ((1 - law_.miss) * if_seen + law_.miss * Row(missed_, i, gained));
        change = std::max(change, std::fabs(next[i] - gained[i]) / next[i]);
      }
      std::swap(gained, next);
      if (change < 1e-17) break;
    }
    return gained;
  }

  const std::vector<double>& variances() const { return variances_; }

 private:
  /// f(P) to its mean one step later.
  std::vector<double> OneStep() const {
    std::vector<double> power(size_ * size_);
    for (size_t i = 0; i < power.size(); ++i) {
      power[i] = (1 - law_.miss) * seen_[i] + law_.miss * missed_[i];
    }
    return power;
  }

  /// The Lagrange basis at a variance, in barycentric form (Berrut & Trefethen 2004).
  void Basis(double variance, double* row) const {
    const double at = std::clamp(std::log(variance) / half_ + 1, -1.0, 1.0);
    double sum = 0;
    for (size_t j = 0; j < size_; ++j) {
      if (at == points_[j]) {
        std::fill_n(row, size_, 0.0);
        row[j] = 1;
        return;
      }
      const double end = j == 0 || j == size_ - 1 ? 0.5 : 1.0;
      row[j] = (j % 2 == 0 ? end : -end) / (at - points_[j]);
      sum += row[j];
    }
    for (size_t j = 0; j < size_; ++j) row[j] /= sum;
  }

  double Row(const std::vector<double>& matrix, size_t i, const std::vector<double>& f) const {
    const double* row = &matrix[i * size_];
    return std::inner_product(row, row + size_, f.data(), 0.0);
  }

  /// next = power power, rows brought back to a sum of 1.
  void Square(const std::vector<double>& power, std::vector<double>& next) const {
    std::fill(next.begin(), next.end(), 0.0);
    for (size_t i = 0; i < size_; ++i) {
      double* out = &next[i * size_];
      for (size_t k = 0; k < size_; ++k) {
        const double factor = power[i * size_ + k];
        const double* row = &power[k * size_];
        for (size_t j = 0; j < size_; ++j) out[j] += factor * row[j];
      }
      const double sum = std::accumulate(out, out + size_, 0.0);
      for (size_t j = 0; j < size_; ++j) out[j] /= sum;
    }
  }

  OuLaw law_;
  double half_ = 0;
  size_t size_ = 0;
  std::vector<double> points_, variances_, seen_, missed_;
};

void CheckLaw(const OuLaw& law) {
  SSM_CHECK(law.decay > 0 && law.decay < 1 && law.noise > 0 && law.miss >= 0 && law.miss < 1,
            "an OU law needs decay in (0, 1), noise > 0, miss in [0, 1)");
}

/// Whether the posterior variance is the same whatever is missing: none is, or it cannot move.
bool VarianceIsSure(const OuLaw& law) {
  return law.miss == 0 || FilterVariance(law.decay, law.noise) > 1 - 1e-9;
}

/// P - P^2 R(P): what is left of the target's variance once the later samples are in.
std::vector<double> LeftOver(const VarianceGrid& grid, int64_t lag) {
  std::vector<double> left = grid.Gained(lag);
  for (size_t i = 0; i < left.size(); ++i) {
    const double p = grid.variances()[i];
    left[i] = p - p * p * left[i];
  }
  return left;
}

}  // namespace

double SmootherError(const OuLaw& law, int64_t lag) {
  CheckLaw(law);
  if (VarianceIsSure(law)) return ClosedSmootherError(law.decay, law.noise, lag);
  const VarianceGrid grid(law);
  const std::vector<double> weights = grid.Stationary();
  const std::vector<double> left = LeftOver(grid, lag);
  return std::inner_product(weights.begin(), weights.end(), left.begin(), 0.0);
}

double WindowError(const OuLaw& law, int64_t lag, int64_t window) {
  CheckLaw(law);
  SSM_CHECK(lag >= 0 && window >= 0, "a window and a lag are numbers of steps");
  if (VarianceIsSure(law)) return ClosedWindowError(law.decay, law.noise, lag, window);
  const VarianceGrid grid(law);
  if (lag < window) return grid.MeanAfter(window - lag, LeftOver(grid, lag));
  // The target lies before the window, where nothing is known.
  const double reach = std::pow(law.decay, 2 * static_cast<double>(lag - window));
  return 1 - reach * grid.Gained(window)[0];
}

}  // namespace ssm
