// Drawing without putting back.
#pragma once

#include <cstdint>
#include <vector>

#include "ssm/base/random.h"

namespace ssm {

/// `count` different ids out of 0 to `classes` - 1, every arrangement as likely: the first places
/// of a Fisher-Yates shuffle, of which only what moved is kept. O(count), whatever `classes` is.
std::vector<int64_t> DrawDistinct(Random& random, int64_t count, int64_t classes);

/// `count` different integers out of 1 to `places`, one after another, each of those left with a
/// probability in proportion to g^(power - 1). Drawn as a race: the first arrivals of independent
/// exponential times with these rates come in just that law. O(places log count), memory O(count).
std::vector<int64_t> DrawPowerLawDistinct(Random& random, int64_t count, int64_t places,
                                          double power);

/// Of the draws of DrawPowerLawDistinct, the probability that draw i (from 0) is at most
/// `first` + i, for each i. Exact to 1e-9: draw i is g where g arrives when i others have, so
///   P(draw i = g) = integral of r_g e^(-r_g t) P(i of the others arrived by t) dt,
/// summed over g and integrated over log t by the trapezoidal rule. Every term is positive.
/// Cost O(count places) for each of some 60 sqrt(count) + 150 times; memory O(count^2).
std::vector<double> PowerLawDrawAtMost(int64_t count, int64_t places, double power, int64_t first);

}  // namespace ssm
