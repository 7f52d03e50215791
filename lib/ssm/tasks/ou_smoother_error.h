// How well the past of an Ornstein-Uhlenbeck process can be known from noisy, incomplete samples.
#pragma once

#include "ssm/tasks/ou_filter.h"

namespace ssm {

/// Steady-state mean square error of E[z_{t-lag} | x up to t]; lag 0 is the filter. Closed form
/// when nothing is missing (Anderson & Moore 1979, "Optimal Filtering", ch. 7).
///
/// With missing samples the posterior variance P wanders: P -> f_seen(P) or f_missed(P). Its
/// stationary mean is found without sampling: functions of P are held as polynomials on Chebyshev
/// points of ln P, on which one step is a matrix, whose powers (by squaring) carry every function
/// to its stationary mean. Spectral accuracy: 10 digits and more. Cost about 0.1 s.
double SmootherError(const OuLaw& law, int64_t lag);

/// The same of E[z_{t-lag} | x_{t-window+1..t}], what was shown in the newest `window` steps alone:
/// no predictor that sees only these can have less. Nothing (window 0) leaves 1. With missing
/// samples the mean is over which of them are, found as above: powers of the same matrix carry P
/// from 1, before the window, to its end. Cost: O(lag + window), or about 0.1 s.
double WindowError(const OuLaw& law, int64_t lag, int64_t window);

}  // namespace ssm
