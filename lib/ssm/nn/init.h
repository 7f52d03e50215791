// How parameters start.
#pragma once

#include "ssm/nn/parameters.h"

namespace ssm {

Init Constant(double value);
Init Zeros();
Init Ones();
/// Uniform in (low, high).
Init Uniform(double low, double high);
Init Normal(double mean, double deviation);
/// Uniform in +-1/sqrt(fan_in): what linear layers start from, weights and biases alike (PyTorch's
/// nn.Linear). fan_in >= 1.
Init FanIn(int64_t fan_in);
/// Normal with variance 1 / fan_in (LeCun et al. 1998).
Init LeCun(int64_t fan_in);

/// Of a weight [out, columns]: `gain` times a matrix whose rows, or whose columns where those are
/// fewer, are orthonormal, uniform among such (Saxe et al. 2014). O(out columns min(out, columns)).
Init Orthogonal(int64_t columns, double gain = 1);

/// Of a weight [out, columns]: 1 on the diagonal, 0 elsewhere.
Init IdentityMap(int64_t columns);

}  // namespace ssm
