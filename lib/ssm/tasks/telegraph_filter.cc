#include "ssm/tasks/telegraph_filter.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ssm/kernels/dense_inverse.h"
#include "ssm/tasks/gaussian_evidence.h"

namespace ssm {
namespace {

constexpr double kTail = 8;  // standard deviations that a density is kept to
constexpr double kPointsInDeviation = 2.5;
constexpr double kMostPoints = 600;
constexpr double kMostTerms = 3e7;
constexpr double kRare = 1e-9;  // runs of missing samples less likely than this are left out

/// Where v comes from before a sample: after a run of missing ones, with what probability.
struct Runs {
  std::vector<double> weight;   // of a run of i missing samples
  std::vector<double> flipped;  // probability that the side differs after i + 1 steps
};

Runs RunsOf(const SideChain& chain) {
  Runs runs;
  double weight = 1 - chain.miss;
  double sum = 0;
  for (int64_t i = 0; i == 0 || weight > kRare * (1 - chain.miss); ++i, weight *= chain.miss) {
    runs.weight.push_back(weight);
    runs.flipped.push_back(HazardOver(chain.hazard, static_cast<double>(i + 1)));
    sum += weight;
  }
  for (double& w : runs.weight) w /= sum;
  return runs;
}

/// The points of the grid, symmetrical around 0, and the transitions between them.
class SideDensity {
 public:
  SideDensity(const SideChain& chain, const Runs& runs, int64_t half, double spacing)
      : chain_(chain), runs_(runs), points_(2 * half), spacing_(spacing) {}

  double Accuracy() const {
    const std::vector<double> density = Solve();
    double right = 0;
    for (int64_t j = 0; j < points_; ++j) {
      ForEachSource(j, [&](double from, double weight) {
        right += density[static_cast<size_t>(j)] * spacing_ * weight *
                 Phi((chain_.mean + from) / chain_.sd);
      });
    }
    return right;
  }

 private:
  double At(int64_t i) const { return (static_cast<double>(i - points_ / 2) + 0.5) * spacing_; }

  /// Calls visit(carried v, probability) for all that may follow on v at point j with s = +1.
  template <class Visit>
  void ForEachSource(int64_t j, const Visit& visit) const {
    double v = At(j);
    for (size_t i = 0; i < runs_.weight.size(); ++i) {
      v = chain_.carry(v);
      visit(v, runs_.weight[i] * (1 - runs_.flipped[i]));
      visit(-v, runs_.weight[i] * runs_.flipped[i]);  // as s = -1 is to -v
    }
  }

  /// The density that the chain keeps: one of its equations gives way to the sum being 1.
  std::vector<double> Solve() const {
    const size_t n = static_cast<size_t>(points_);
    std::vector<double> a(n * n, 0.0), inverse(n * n);
    for (int64_t j = 0; j < points_; ++j) {
      a[static_cast<size_t>(j * points_ + j)] = 1;
      ForEachSource(j,
                    [&](double from, double weight) { Spread(j, chain_.mean + from, weight, a); });
    }
    std::fill_n(a.begin(), n, spacing_);
    kernels::Invert(points_, a.data(), inverse.data());
    std::vector<double> density(n);
    for (size_t i = 0; i < n; ++i) density[i] = inverse[i * n];
    return density;
  }

  /// Takes `weight` times the normal density around `centre` from column j.
  void Spread(int64_t j, double centre, double weight, std::vector<double>& a) const {
    const double middle = centre / spacing_ + static_cast<double>(points_ / 2) - 0.5;
    const double width = kTail * chain_.sd / spacing_;
    const int64_t first = std::max<int64_t>(0, static_cast<int64_t>(std::ceil(middle - width)));
    const int64_t last =
        std::min<int64_t>(points_ - 1, static_cast<int64_t>(std::floor(middle + width)));
    const double scale = weight * spacing_ / (chain_.sd * std::sqrt(2 * std::acos(-1.0)));
    for (int64_t i = first; i <= last; ++i) {
      const double z = (At(i) - centre) / chain_.sd;
      a[static_cast<size_t>(i * points_ + j)] -= scale * std::exp(-z * z / 2);
    }
  }

  const SideChain& chain_;
  const Runs& runs_;
  int64_t points_;
  double spacing_;
};

}  // namespace

double HazardPrior(double log_odds, double hazard) {
  const double size = std::fabs(log_odds);
  const double small = std::exp(-size);
  const double prior = std::log((1 - hazard + hazard * small) / ((1 - hazard) * small + hazard));
  return std::copysign(prior, log_odds);
}

double HazardOver(double hazard, double elapsed) {
  return -std::expm1(elapsed * std::log1p(-2 * hazard)) / 2;
}

std::optional<double> SteadyAccuracy(const SideChain& chain) {
  double spacing = chain.sd / kPointsInDeviation;
  if (chain.bend > 0) spacing = std::min(spacing, chain.bend / kPointsInDeviation);
  const double range = chain.reach + std::fabs(chain.mean) + kTail * chain.sd;
  const double half = std::ceil(range / spacing);
  const double runs_kept = chain.miss > 0 ? 1 + std::log(kRare) / std::log(chain.miss) : 1;
  const double terms = 2 * half * runs_kept * 4 * kTail * chain.sd / spacing;
  if (!(2 * half <= kMostPoints) || !(terms <= kMostTerms)) return std::nullopt;
  const Runs runs = RunsOf(chain);
  const double after = SideDensity(chain, runs, static_cast<int64_t>(half), spacing).Accuracy();
  // i steps after a sample: 1/2 + (after - 1/2) (1 - 2 h)^i, i geometric.
  const double kept = (1 - chain.miss) / (1 - chain.miss * (1 - 2 * chain.hazard));
  return 0.5 + (after - 0.5) * kept;
}

}  // namespace ssm
