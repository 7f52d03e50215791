// A side that flips at random, seen through noise: its exact filter and how often it is right.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace ssm {

/// Log-odds of a side one step on, given log-odds L now and a chance `hazard` that it flips:
/// psi(L) = ln(((1 - h) e^L + h) / ((1 - h) + h e^L)). Odd; at most ln((1 - h) / h) in size.
double HazardPrior(double log_odds, double hazard);

/// Probability that the side differs after `elapsed` steps of hazard h each:
/// (1 - (1 - 2 h)^elapsed) / 2.
double HazardOver(double hazard, double elapsed);

/// v_t = carry(v_{t-1}) + c_t (mean s_t + sd xi_t): an observer of a side s = +-1 that flips with
/// probability `hazard` a step, c_t = 0 with probability `miss`; it says the sign of v.
struct SideChain {
  std::function<double(double)> carry;  // odd, grows with v, and no further from 0 than v
  double reach = 0;                     // most that |carry| comes to
  double bend = 0;                      // length over which carry bends; 0: it is linear
  double hazard = 0, miss = 0;
  double mean = 0, sd = 1;
};

/// How often the sign of v is that of s in the steady state, steps without a sample among them.
/// The density of v after a sample, given s = +1, solves an integral equation, here on a grid
/// (Nystrom's method, which converges faster than any power of the spacing); a missing sample
/// keeps the sign, while the side flips on. Absolute error below 1e-5. Empty where more than 600
/// points or 3e7 terms would be needed. O(points^3 + points terms).
std::optional<double> SteadyAccuracy(const SideChain& chain);

}  // namespace ssm
