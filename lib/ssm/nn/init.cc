#include "ssm/nn/init.h"

#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"

namespace ssm {

Init Constant(double value) {
  return [value](std::span<double> values, Random&) { std::ranges::fill(values, value); };
}

Init Zeros() { return Constant(0); }

Init Ones() { return Constant(1); }

Init Uniform(double low, double high) {
  return [low, high](std::span<double> values, Random& random) {
    for (double& value : values) value = random.Uniform(low, high);
  };
}

Init Normal(double mean, double deviation) {
  return [mean, deviation](std::span<double> values, Random& random) {
    for (double& value : values) value = mean + deviation * random.Normal();
  };
}

Init FanIn(int64_t fan_in) {
  SSM_CHECK(fan_in >= 1, "a fan-in is at least 1");
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  return Uniform(-bound, bound);
}

Init LeCun(int64_t fan_in) {
  SSM_CHECK(fan_in >= 1, "a fan-in is at least 1");
  return Normal(0, 1 / std::sqrt(static_cast<double>(fan_in)));
}

Init IdentityMap(int64_t columns) {
  SSM_CHECK(columns >= 1, "a map has at least 1 column");
  return [columns](std::span<double> values, Random&) {
    const auto width = static_cast<size_t>(columns);
    for (size_t i = 0; i < values.size(); ++i) values[i] = i / width == i % width ? 1 : 0;
  };
}

}  // namespace ssm
