#include "ssm/statistics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/base/random.h"

namespace ssm {

Interval BootstrapRatio(std::span<const double> numerator, std::span<const double> denominator,
                        uint64_t seed, double level, int64_t resamples) {
  SSM_CHECK(numerator.size() == denominator.size(), "one denominator for each numerator");
  SSM_CHECK(level > 0 && level < 1 && resamples >= 1, "level in (0, 1), at least one resample");
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const size_t n = numerator.size();
  double total_numerator = 0;
  double total_denominator = 0;
  for (size_t i = 0; i < n; ++i) {
    total_numerator += numerator[i];
    total_denominator += denominator[i];
  }
  const double value = total_denominator != 0 ? total_numerator / total_denominator : kNaN;
  if (n < 2 || std::isnan(value)) return {value, kNaN, kNaN};

  std::vector<double> ratios;
  ratios.reserve(static_cast<size_t>(resamples));
  for (int64_t r = 0; r < resamples; ++r) {
    Random random(seed, RandomStream::kBootstrap, static_cast<uint64_t>(r));
    double top = 0;
    double bottom = 0;
    for (size_t i = 0; i < n; ++i) {
      const size_t pick = static_cast<size_t>(random.Below(static_cast<int64_t>(n)));
      top += numerator[pick];
      bottom += denominator[pick];
    }
    if (bottom != 0) ratios.push_back(top / bottom);
  }
  return PercentileInterval(value, ratios, level);
}

Interval BootstrapMean(std::span<const double> values, uint64_t seed, double level,
                       int64_t resamples) {
  const std::vector<double> ones(values.size(), 1.0);
  return BootstrapRatio(values, ones, seed, level, resamples);
}

Interval PercentileInterval(double value, std::vector<double>& resampled, double level) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  std::sort(resampled.begin(), resampled.end());
  // Resamples that are all alike tell nothing of how much others would differ.
  if (resampled.empty() || resampled.front() == resampled.back()) return {value, kNaN, kNaN};
  const double count = static_cast<double>(resampled.size());
  const double rank = std::floor((count + 1) * (0.5 - 0.5 * level));
  const size_t skip = static_cast<size_t>(std::clamp(rank, 1.0, count)) - 1;
  return {value, resampled[skip], resampled[resampled.size() - 1 - skip]};
}

}  // namespace ssm
