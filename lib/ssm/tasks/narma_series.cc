#include "ssm/tasks/narma_series.h"

#include <algorithm>
#include <numeric>

namespace ssm {

double NarmaSeries::Next(double u) {
  u_[oldest_] = u;
  const size_t newest = (oldest_ + kOrder - 1) % kOrder;  // of y, which lags one behind
  const double now = y_[newest];
  oldest_ = (oldest_ + 1) % kOrder;
  const double sum = std::accumulate(y_.begin(), y_.end(), 0.0);
  const double next = 0.3 * now + 0.05 * now * sum + 1.5 * u_[oldest_] * u + 0.1;
  y_[(newest + 1) % kOrder] = std::min(next, 1.0);
  return y_[(newest + 1) % kOrder];
}

}  // namespace ssm
