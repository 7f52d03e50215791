#include "ssm/tasks/largest_count.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

/// A law of counts, entry s for a count of s; counts above the last entry are of no interest.
using Law = std::vector<double>;

/// Of the sum of two counts, up to `most`.
Law SumOf(const Law& a, const Law& b, size_t most) {
  Law sum(std::min(most + 1, a.size() + b.size() - 1), 0.0);
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < b.size() && i + j < sum.size(); ++j) sum[i + j] += a[i] * b[j];
  }
  return sum;
}

/// Of the sum of `copies` counts, by repeated doubling.
Law Power(Law law, int64_t copies, size_t most) {
  Law sum = {1};
  for (int64_t left = copies; left > 0; left /= 2) {
    if (left % 2 == 1) sum = SumOf(sum, law, most);
    if (left > 1) law = SumOf(law, law, most);
  }
  return sum;
}

double PoissonProbability(double mean, int64_t count) {
  const double k = static_cast<double>(count);
  return std::exp(k * std::log(mean) - mean - std::lgamma(k + 1));
}

}  // namespace

double ExpectedLargestCount(int64_t draws, int64_t classes) {
  SSM_CHECK(draws >= 1 && classes >= 1, "there is something to draw, and to draw from");
  const double mean = static_cast<double>(draws) / static_cast<double>(classes);
  const double all = PoissonProbability(static_cast<double>(draws), draws);
  const size_t most = static_cast<size_t>(draws);
  // One class holds its share at least.
  const int64_t least = (draws + classes - 1) / classes;
  double expected = static_cast<double>(least);
  for (int64_t m = least; m < draws; ++m) {
    Law count;
    for (int64_t s = 0; s <= m; ++s) count.push_back(PoissonProbability(mean, s));
    const Law sum = Power(std::move(count), classes, most);
    const double more = 1 - (sum.size() > most ? sum[most] / all : 0);
    if (more < 1e-15) break;
    expected += more;
  }
  return expected;
}

}  // namespace ssm
