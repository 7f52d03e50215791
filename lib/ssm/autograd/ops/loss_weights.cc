#include "ssm/autograd/ops/loss_weights.h"

#include "ssm/base/errors.h"

namespace ssm {

template <class T>
double TotalWeight(std::span<const T> weights, int64_t elements) {
  double sum = 0;
  for (T weight : weights) sum += static_cast<double>(weight);
  return sum * static_cast<double>(elements);
}

int64_t ElementsPerWeight(const Shape& y, const Shape& weights) {
  const bool each = y == weights;
  const bool shared =
      weights.rank() == 2 && y.rank() == 3 && weights[0] == y[0] && weights[1] == y[1];
  SSM_CHECK(each || shared, "weights " + weights.ToString() + " fit no loss of " + y.ToString());
  return each ? 1 : y[2];
}

template double TotalWeight(std::span<const float>, int64_t);
template double TotalWeight(std::span<const double>, int64_t);

}  // namespace ssm
