#include "ssm/analysis/geometric_grid.h"

#include <cmath>

#include "ssm/base/errors.h"

namespace ssm {

std::vector<double> GeometricGrid(double low, double high, int64_t count) {
  SSM_CHECK(count >= 2 && 0 < low && low < high && std::isfinite(high),
            "a geometric grid rises from above 0");
  const double first = std::log2(low), last = std::log2(high);  // high / low may be beyond double
  std::vector<double> grid;
  for (int64_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
    grid.push_back(std::exp2((1 - share) * first + share * last));
  }
  grid.front() = low;
  grid.back() = high;
  return grid;
}

}  // namespace ssm
