#include "ssm/tasks/ou_filter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "ssm/base/random.h"
#include "ssm/tasks/ou_smoother_error.h"

namespace {

using namespace ssm;  // NOLINT

OuLaw Law(double tau, double noise, double miss) { return {std::exp(-1 / tau), noise, miss}; }

struct Row {
  double tau, noise;
  double none, half, most;                // nmse with 0, 1/2, 9/10 missing
  double simulated_half, simulated_most;  // as once measured over a finite run
};

// The simulated columns carry the noise of their run; the exact ones agree with 4e8 steps of the
// recursion to five digits.
constexpr Row kRows[] = {
    {10, 1, 0.2986, 0.45197, 0.79071, 0.4520, 0.7917},
    {10, 3, 0.6869, 0.80250, 0.94906, 0.8025, 0.9488},
    {30, 1, 0.2025, 0.30026, 0.60927, 0.3009, 0.6099},
    {30, 3, 0.5151, 0.64292, 0.87679, 0.6432, 0.8773},
    {100, 1, 0.1234, 0.17937, 0.39241, 0.1789, 0.3916},
    {100, 3, 0.3372, 0.44426, 0.72284, 0.4445, 0.7235},
    {1000, 1, 0.0428, 0.06106, 0.13682, 0.0611, 0.1367},
    {1000, 3, 0.1246, 0.17235, 0.34686, 0.1726, 0.3455},
    {10000, 1, 0.0139, 0.01978, 0.04429, 0.0198, 0.0443},
    {10000, 3, 0.0414, 0.05820, 0.12594, 0.0583, 0.1264},
};

TEST_CASE("ceilings over time constants, noise and missing samples") {
  for (const Row& row : kRows) {
    CAPTURE(row.tau);
    CAPTURE(row.noise);
    CHECK(std::fabs(SmootherError(Law(row.tau, row.noise, 0), 0) - row.none) < 5.1e-5);
    const double half = SmootherError(Law(row.tau, row.noise, 0.5), 0);
    const double most = SmootherError(Law(row.tau, row.noise, 0.9), 0);
    CHECK(std::fabs(half - row.half) < 5.1e-6);
    CHECK(std::fabs(most - row.most) < 5.1e-6);
    CHECK(std::fabs(half / row.simulated_half - 1) < 0.004);
    CHECK(std::fabs(most / row.simulated_most - 1) < 0.005);
  }
}

TEST_CASE("the mean over missing samples equals a long run of the recursion") {
  const OuLaw law = Law(30, 1, 0.5);
  Random random(3, RandomStream::kLaw, 0);
  const double a = law.decay * law.decay;
  double p = 1;
  double sum = 0;
  double squares = 0;
  constexpr int kBlocks = 50;
  constexpr int kBlock = 20000;
  for (int block = 0; block < kBlocks; ++block) {
    double mean = 0;
    for (int t = 0; t < kBlock; ++t) {
      const double predicted = a * p + 1 - a;
      p = random.Bernoulli(0.5) ? predicted : predicted / (predicted + 1);
      mean += p / kBlock;
    }
    sum += mean;
    squares += mean * mean;
  }
  const double measured = sum / kBlocks;
  const double error = std::sqrt((squares / kBlocks - measured * measured) / kBlocks);
  CHECK(error < 2e-4);
  CHECK(std::fabs(SmootherError(law, 0) - measured) < 4 * error);
}

TEST_CASE("rare gaps change little, and in proportion") {
  for (const int64_t lag : {0, 1, 20}) {
    const double none = SmootherError(Law(30, 1, 0), lag);
    const double rare = SmootherError(Law(30, 1, 1e-9), lag);
    CHECK(std::fabs(rare - none) < 1e-8);
    CHECK(std::fabs(SmootherError(Law(30, 1, 1e-13), lag) - none) < 1e-11);
  }
}

TEST_CASE("extremes stay inside what is possible") {
  CHECK(SmootherError(Law(30, 1e-6, 0.5), 0) > 0);
  CHECK(SmootherError(Law(30, 1e6, 0.5), 0) == doctest::Approx(1).epsilon(1e-6));
  // Half of the samples missing and the others exact: the error is what drifts since the last one,
  // sum over ages j of 2^-(j+1) (1 - a^2j).
  const double a = std::exp(-2.0 / 30);
  CHECK(SmootherError(Law(30, 1e-5, 0.5), 0) ==
        doctest::Approx(1 - 0.5 / (1 - 0.5 * a)).epsilon(1e-6));
  CHECK(SmootherError(Law(0.1, 1, 0.5), 0) == doctest::Approx(0.75).epsilon(1e-4));
  CHECK_THROWS(SmootherError(Law(30, 1, 1), 0));
  CHECK_THROWS(SmootherError(Law(30, 0, 0.5), 0));
}

TEST_CASE("looking back helps until nothing more is learned") {
  for (const double miss : {0.0, 0.5}) {
    double before = SmootherError(Law(30, 1, miss), 0);
    for (const int64_t lag : {1, 2, 5, 10, 40}) {
      const double now = SmootherError(Law(30, 1, miss), lag);
      CHECK(now < before);
      before = now;
    }
    CHECK(SmootherError(Law(30, 1, miss), 4000) ==
          doctest::Approx(SmootherError(Law(30, 1, miss), 400)).epsilon(1e-10));
  }
  // With all samples on both sides the error is the mean over frequencies of
  // S_z S_v / (S_z + S_v) = q / (q + 1 + a^2 - 2 a cos w) for noise 1 (Wiener 1949).
  const double a = std::exp(-1.0 / 30);
  const double q = 1 - a * a;
  const double closed = q / std::sqrt(std::pow(1 + a * a + q, 2) - 4 * a * a);
  CHECK(SmootherError(Law(30, 1, 0), 1000) == doctest::Approx(closed).epsilon(1e-10));
}

/// E[z_{t-lag} | x up to t] by conditioning the joint Gaussian, as slowly as can be.
double Conditioned(const OuLaw& law, const std::vector<bool>& seen, const std::vector<double>& x,
                   size_t target) {
  std::vector<size_t> at;
  for (size_t t = 0; t < seen.size(); ++t) {
    if (seen[t]) at.push_back(t);
  }
  const auto covariance = [&](size_t i, size_t j) {
    return std::pow(law.decay, std::fabs(static_cast<double>(i) - static_cast<double>(j)));
  };
  const size_t n = at.size();
  std::vector<std::vector<double>> m(n, std::vector<double>(n + 1));
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      m[i][j] = covariance(at[i], at[j]) + (i == j ? law.noise * law.noise : 0);
    }
    m[i][n] = x[at[i]];
  }
  for (size_t k = 0; k < n; ++k) {  // elimination; the matrix is positive definite
    for (size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = m[i][k] / m[k][k];
      for (size_t j = k; j <= n; ++j) m[i][j] -= factor * m[k][j];
    }
  }
  double estimate = 0;
  for (size_t i = 0; i < n; ++i) estimate += covariance(at[i], target) * m[i][n] / m[i][i];
  return estimate;
}

TEST_CASE("filter and smoother are the conditional means of the joint Gaussian") {
  const OuLaw law = Law(7, 0.8, 0.4);
  Random random(5, RandomStream::kLaw, 1);
  for (const int64_t lag : {0, 1, 4}) {
    FixedLagSmoother smoother(law, lag);
    std::vector<bool> seen;
    std::vector<double> x;
    for (size_t t = 0; t < 25; ++t) {
      seen.push_back(!random.Bernoulli(law.miss));
      x.push_back(random.Normal());
      smoother.Step(seen[t], seen[t] ? x[t] : 0);
      CHECK(smoother.mean() == doctest::Approx(Conditioned(law, seen, x, t)).epsilon(1e-10));
      const size_t back = static_cast<size_t>(lag);
      const double expected = Conditioned(law, seen, x, t < back ? 0 : t - back);
      CHECK(smoother.lagged_mean() == doctest::Approx(expected).epsilon(1e-10));
    }
  }
}

/// The mean over which of the newest `window` steps show their sample, of what these leave of
/// z_{t-lag}'s variance: 1 - c' S^-1 c, every case by elimination.
double WindowByCases(const OuLaw& law, size_t lag, size_t window) {
  const size_t length = std::max(window, lag + 1);
  const size_t target = length - 1 - lag;
  std::vector<double> covariance;
  for (size_t t = 0; t < length; ++t) {
    const double apart = std::fabs(static_cast<double>(t) - static_cast<double>(target));
    covariance.push_back(std::pow(law.decay, apart));
  }
  double mean = 0;
  for (size_t shown = 0; shown < size_t{1} << window; ++shown) {
    double odds = 1;
    std::vector<bool> seen(length, false);
    for (size_t j = 0; j < window; ++j) {
      seen[length - 1 - j] = (shown >> j & 1) != 0;
      odds *= seen[length - 1 - j] ? 1 - law.miss : law.miss;
    }
    if (odds > 0) mean += odds * (1 - Conditioned(law, seen, covariance, target));
  }
  return mean;
}

TEST_CASE("what a window of samples leaves unknown") {
  // Four digits, by iterating the Riccati recursion from variance 1.
  struct Floor {
    double tau;
    int64_t window;
    double nmse;
  };
  for (const Floor& row :
       {Floor{300, 4, 0.2053}, {300, 8, 0.1243}, {300, 32, 0.0761}, {30, 3, 0.2803}}) {
    CAPTURE(row.window);
    CHECK(std::fabs(WindowError(Law(row.tau, 1, 0), 0, row.window) - row.nmse) < 5.1e-5);
  }
  for (const double miss : {0.0, 0.4}) {
    for (const double noise : {0.05, 0.8, 20.0}) {
      const OuLaw law = Law(7, noise, miss);
      for (const int64_t lag : {0, 1, 3, 5, 6, 9}) {
        for (const int64_t window : {1, 2, 5, 6, 7}) {
          CAPTURE(miss);
          CAPTURE(noise);
          CAPTURE(lag);
          CAPTURE(window);
          const double exact =
              WindowByCases(law, static_cast<size_t>(lag), static_cast<size_t>(window));
          CHECK(WindowError(law, lag, window) == doctest::Approx(exact).epsilon(1e-10));
        }
      }
    }
  }
}

TEST_CASE("windows from nothing to everything") {
  for (const double miss : {0.0, 0.5}) {
    const OuLaw law = Law(30, 1, miss);
    for (const int64_t lag : {0, 1, 12}) {
      CAPTURE(miss);
      CAPTURE(lag);
      CHECK(WindowError(law, lag, 0) == 1);
      CHECK(WindowError(law, lag, 1) == doctest::Approx(StaticError(law, lag)).epsilon(1e-13));
      double before = 1;
      for (const int64_t window : {1, 2, 3, 10, 13, 40}) {
        const double now = WindowError(law, lag, window);
        CHECK(now < before);
        before = now;
      }
      const double all = SmootherError(law, lag);
      CHECK(before > all);
      for (const int64_t window : {2000, 10'000'000}) {
        CHECK(WindowError(law, lag, window) == doctest::Approx(all).epsilon(1e-10));
      }
    }
  }
  // Nearly exact samples: what is left is their noise, to all its digits.
  CHECK(WindowError(Law(30, 1e-6, 0), 0, 5) == doctest::Approx(1e-12).epsilon(1e-9));
  CHECK(SmootherError(Law(30, 1e-6, 0), 5) < 1e-12);
  CHECK(SmootherError(Law(30, 1e-6, 0), 5) > 0);
  CHECK(WindowError(Law(30, 1e6, 0.5), 0, 5) == doctest::Approx(1).epsilon(1e-6));
}

TEST_CASE("the best leaky integrator is the filter itself") {
  const OuLaw law = Law(30, 1, 0);
  const double p = FilterVariance(law.decay, law.noise);
  const double leak = (1 - p) * law.decay;  // (1 - K) a, K = P / r^2
  CHECK(leak == doctest::Approx(0.7713).epsilon(1e-4));
  CHECK(LeakyError(law, leak, 0, 5000, 6000) == doctest::Approx(p).epsilon(1e-12));
  CHECK(LeakyError(law, leak * 1.02, 0, 5000, 6000) > p);
  CHECK(LeakyError(law, leak * 0.98, 0, 5000, 6000) > p);
}

TEST_CASE("cheap estimators by their definitions") {
  CHECK(StaticError(Law(30, 1, 0), 0) == 0.5);
  CHECK(StaticError(Law(30, 3, 0), 0) == doctest::Approx(0.9).epsilon(1e-15));
  CHECK(StaticError(Law(30, 1, 0.5), 0) == 0.75);
  const OuLaw law = Law(30, 1, 0.5);
  CHECK(LastObservedError(Law(30, 1, 0), 0) == doctest::Approx(0.5).epsilon(1e-15));
  const double a2 = law.decay * law.decay;
  CHECK(LastObservedError(law, 0) == doctest::Approx(1 - 0.25 / (1 - 0.5 * a2)).epsilon(1e-12));
  CHECK(LeakyError(law, 0.0, 0, 10, 20) == doctest::Approx(0.75).epsilon(1e-12));
  // One sample old: exactly a^2 of what the newest one says.
  CHECK(StaticError(Law(30, 1, 0), 1) == doctest::Approx(1 - 0.5 * a2).epsilon(1e-12));
}

}  // namespace
