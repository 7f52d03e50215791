#include "ssm/tasks/distinct_draws.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <unordered_map>
#include <utility>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

/// A generating function of a count, entry k for a count of k; entries past the end are of no
/// interest.
using Counts = std::vector<double>;

/// counts(z) (1 - q + q z), in place.
void AddOne(Counts& counts, double q) {
  for (size_t k = counts.size(); k-- > 1;) counts[k] = counts[k] * (1 - q) + counts[k - 1] * q;
  counts[0] *= 1 - q;
}

/// Coefficient i of a(z) b(z).
double ProductAt(const Counts& a, const Counts& b, int64_t i) {
  double sum = 0;
  for (int64_t k = 0; k <= i; ++k) {
    sum += a[static_cast<size_t>(k)] * b[static_cast<size_t>(i - k)];
  }
  return sum;
}

/// Which draws at which thresholds are asked for: draw i at `first` + i, for i in [begin, end).
struct Asked {
  int64_t first = 0, begin = 0, end = 0;
};

/// Adds to each asked draw `weight` times the rate at which it arrives at time t and is at most its
/// threshold. Draws from `most` on are as good as impossible by then.
void AddArrivals(const std::vector<double>& rates, const Asked& asked, double t, double weight,
                 int64_t most, std::vector<double>& to) {
  const int64_t places = std::ssize(rates);
  const int64_t end = std::min(asked.end, most);
  if (end <= asked.begin) return;
  const auto arrived = [&](int64_t g) {
    return -std::expm1(-rates[static_cast<size_t>(g - 1)] * t);
  };
  // Of those after each threshold, from the last threshold down.
  const Counts one = [&] {
    Counts none(static_cast<size_t>(end), 0.0);
    none[0] = 1;
    return none;
  }();
  std::vector<Counts> after(static_cast<size_t>(end - asked.begin));
  Counts later = one;
  int64_t g = places;
  for (int64_t i = end - 1; i >= asked.begin; --i) {
    for (; g > asked.first + i; --g) AddOne(later, arrived(g));
    after[static_cast<size_t>(i - asked.begin)] = later;
  }
  // Of those up to a threshold: all counted, and all but the one that arrives now.
  Counts before = one;
  Counts now(one.size(), 0.0);
  g = 1;
  for (int64_t i = asked.begin; i < end; ++i) {
    for (; g <= asked.first + i; ++g) {
      const double rate = rates[static_cast<size_t>(g - 1)];
      AddOne(now, arrived(g));
      const double density = rate * std::exp(-rate * t);
      for (size_t k = 0; k < now.size(); ++k) now[k] += density * before[k];
      AddOne(before, arrived(g));
    }
    to[static_cast<size_t>(i)] +=
        weight * ProductAt(now, after[static_cast<size_t>(i - asked.begin)], i);
  }
}

}  // namespace

std::vector<int64_t> DrawDistinct(Random& random, int64_t count, int64_t classes) {
  SSM_CHECK(count <= classes, "there are not so many to draw from");
  std::unordered_map<int64_t, int64_t> moved;
  const auto at = [&](int64_t place) {
    const auto found = moved.find(place);
    return found == moved.end() ? place : found->second;
  };
  std::vector<int64_t> drawn;
  drawn.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t place = i + random.Below(classes - i);
    drawn.push_back(at(place));
    moved[place] = at(i);
  }
  return drawn;
}

std::vector<int64_t> DrawPowerLawDistinct(Random& random, int64_t count, int64_t places,
                                          double power) {
  SSM_CHECK(count <= places, "there are not so many places to draw from");
  std::priority_queue<std::pair<double, int64_t>> earliest;  // the latest of them on top
  for (int64_t g = 1; g <= places; ++g) {
    const double time = random.Exponential(std::pow(static_cast<double>(g), 1 - power));
    if (std::ssize(earliest) == count && time >= earliest.top().first) continue;
    earliest.emplace(time, g);
    if (std::ssize(earliest) > count) earliest.pop();
  }
  std::vector<int64_t> drawn(static_cast<size_t>(count));
  for (size_t i = drawn.size(); i-- > 0; earliest.pop()) drawn[i] = earliest.top().second;
  return drawn;
}

std::vector<double> PowerLawDrawAtMost(int64_t count, int64_t places, double power, int64_t first) {
  SSM_CHECK(count >= 1 && count <= places, "there are not so many places to draw from");
  const Asked asked{first, std::clamp<int64_t>(1 - first, 0, count),
                    std::clamp<int64_t>(places - first, 0, count)};
  std::vector<double> probability(static_cast<size_t>(count), 0.0);
  std::fill(probability.begin() + asked.end, probability.end(), 1.0);
  if (asked.begin >= asked.end) return probability;
  std::vector<double> rates;
  double total = 0;
  for (int64_t g = 1; g <= places; ++g) {
    rates.push_back(std::pow(static_cast<double>(g), power - 1));
    total += rates.back();
  }
  for (double& rate : rates) rate /= total;
  // Nothing has arrived at the first time, and everything at the last.
  const double from = std::log(1e-12);
  const double to = std::log(30 / *std::min_element(rates.begin(), rates.end()));
  const double step = std::min(0.25, 0.7 / std::sqrt(static_cast<double>(count)));
  for (double s = from; s < to; s += step) {
    const double t = std::exp(s);
    double mean = 0;
    for (const double rate : rates) mean -= std::expm1(-rate * t);
    const double most = mean + 12 * std::sqrt(mean) + 24;
    AddArrivals(rates, asked, t, t * step,
                static_cast<int64_t>(std::min(most, static_cast<double>(count))), probability);
  }
  return probability;
}

}  // namespace ssm
