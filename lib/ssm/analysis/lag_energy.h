// How the energy of a causal kernel is spread over the lags it looks back.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ssm {

/// One octave of lag: 0, 1, 2-3, 4-7, and so on.
struct LagOctave {
  int64_t first = 0, last = 0;
  double sum = 0;    // of what is counted by lag
  double share = 0;  // of the total; NaN where that is 0 or not finite
};

/// Adds values[k], which is of lag k, up by octaves, the last one as far as the values go; shares
/// are of `total`, which may hold lags beyond them. With values |K_k|_F^2 and `total` the squared
/// H2 norm this is a kernel's memory profile: under white input of unit variance, the share of the
/// output's variance that inputs of that age cause.
std::vector<LagOctave> OctavesOf(std::span<const double> values, double total);

/// "0", "1", "2-3", "4-7".
std::string LagText(const LagOctave& octave);

/// e_k = max_{j >= k} values[j]: the least curve above `values` that never rises.
std::vector<double> EnvelopeOf(std::span<const double> values);

/// Lags below `count` at which a long curve is shown: each one below 32, then 16 an octave.
std::vector<int64_t> SampledLags(int64_t count);

}  // namespace ssm
