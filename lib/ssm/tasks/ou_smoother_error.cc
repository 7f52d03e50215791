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
  double gain;        // K of a sample then
  double innovation;  // variance of what the sample shows anew
};

VarianceStep StepFrom(double variance, double decay, double noise) {
  const double predicted = decay * decay * variance + (1 - decay * decay);
  const double innovation = predicted + noise * noise;
  return {predicted, predicted / innovation, innovation};
}

double ClosedSmootherError(double decay, double noise, int64_t lag) {
  const double p = FilterVariance(decay, noise);
  const VarianceStep step = StepFrom(p, decay, noise);
  const double ratio = decay * decay * (1 - step.gain) * (1 - step.gain);
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
      Basis((1 - step.gain) * step.predicted, &seen_[i * size_]);
      Basis(step.predicted, &missed_[i * size_]);
    }
  }

  /// Weights of the stationary mean: any row of a high power of the one-step matrix.
  std::vector<double> Stationary() const {
    std::vector<double> power(size_ * size_);
    for (size_t i = 0; i < power.size(); ++i) {
      power[i] = (1 - law_.miss) * seen_[i] + law_.miss * missed_[i];
    }
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

  /// R(P) with E[(variance gained by `lag` further steps) | P] = P^2 R(P).
  std::vector<double> Gained(int64_t lag) const {
    std::vector<double> gained(size_, 0.0);
    std::vector<double> next(size_);
    const double square = law_.decay * law_.decay;
    for (int64_t k = 0; k < lag; ++k) {
      double change = 0;
      for (size_t i = 0; i < size_; ++i) {
        const VarianceStep step = StepFrom(variances_[i], law_.decay, law_.noise);
        const double kept = (1 - step.gain) * (1 - step.gain);
        const double if_seen = 1 / step.innovation + kept * Row(seen_, i, gained);
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

}  // namespace

double SmootherError(const OuLaw& law, int64_t lag) {
  SSM_CHECK(law.decay > 0 && law.decay < 1 && law.noise > 0 && law.miss >= 0 && law.miss < 1,
            "an OU law needs decay in (0, 1), noise > 0, miss in [0, 1)");
  const double closed = ClosedSmootherError(law.decay, law.noise, lag);
  // A variance that cannot move needs no mean.
  if (law.miss == 0 || FilterVariance(law.decay, law.noise) > 1 - 1e-9) return closed;
  const VarianceGrid grid(law);
  const std::vector<double> weights = grid.Stationary();
  const std::vector<double> gained = grid.Gained(lag);
  double error = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    const double p = grid.variances()[i];
    error += weights[i] * (p - p * p * gained[i]);
  }
  return error;
}

}  // namespace ssm
