#include "ssm/statistics/exact_tests.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/base/random.h"

namespace ssm {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// How many choices of the signs from `at` on bring a sum to `far` from 0 or beyond.
int64_t CountFar(std::span<const double> differences, size_t at, double sum, double far) {
  if (at == differences.size()) return std::fabs(sum) >= far ? 1 : 0;
  return CountFar(differences, at + 1, sum + differences[at], far) +
         CountFar(differences, at + 1, sum - differences[at], far);
}

double SampledFlips(std::span<const double> differences, double far, uint64_t seed) {
  constexpr int64_t kDraws = (int64_t{1} << 17) - 1;
  int64_t count = 1;  // the signs observed
  for (int64_t r = 0; r < kDraws; ++r) {
    Random random(seed, RandomStream::kBootstrap, static_cast<uint64_t>(r));
    double sum = 0;
    for (const double difference : differences) {
      sum += random.Bits() & 1 ? difference : -difference;
    }
    if (std::fabs(sum) >= far) ++count;
  }
  return static_cast<double>(count) / static_cast<double>(kDraws + 1);
}

}  // namespace

double SignFlipTest(std::span<const double> differences, uint64_t seed) {
  if (differences.empty()) return kNaN;
  double sum = 0;
  double size = 0;
  for (const double difference : differences) {
    if (!std::isfinite(difference)) return kNaN;
    sum += difference;
    size += std::fabs(difference);
  }
  // Sums that are equal in algebra must not miss each other by a rounding error.
  const double far = std::fabs(sum) - 1e-12 * size;
  if (differences.size() > kMostExactFlips) return SampledFlips(differences, far, seed);
  // Turning all signs around changes no distance: the first one stays.
  const double half = std::ldexp(1.0, static_cast<int>(differences.size()) - 1);
  return static_cast<double>(CountFar(differences, 1, differences[0], far)) / half;
}

double FisherTest(int64_t first_successes, int64_t first_trials, int64_t second_successes,
                  int64_t second_trials) {
  SSM_CHECK(first_successes >= 0 && first_successes <= first_trials && second_successes >= 0 &&
                second_successes <= second_trials,
            "successes must lie in [0, trials]");
  if (first_trials == 0 || second_trials == 0) return kNaN;
  const int64_t successes = first_successes + second_successes;
  const int64_t low = std::max<int64_t>(0, successes - second_trials);
  const int64_t high = std::min(first_trials, successes);
  // Logarithms of the hypergeometric probabilities, up to a constant, each from the one below.
  std::vector<double> logs = {0};
  for (int64_t k = low; k < high; ++k) {
    const double up = static_cast<double>(first_trials - k) * static_cast<double>(successes - k);
    const double down =
        static_cast<double>(k + 1) * static_cast<double>(second_trials - successes + k + 1);
    logs.push_back(logs.back() + std::log(up / down));
  }
  const double largest = *std::max_element(logs.begin(), logs.end());
  const double observed = logs[static_cast<size_t>(first_successes - low)];
  constexpr double kTie = 1e-7;  // tables as likely as the observed one but for rounding
  double all = 0;
  double far = 0;
  for (const double each : logs) {
    const double weight = std::exp(each - largest);
    all += weight;
    if (each <= observed + kTie) far += weight;
  }
  return far / all;
}

}  // namespace ssm
