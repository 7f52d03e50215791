#include "ssm/analysis/lag_energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ssm {

std::vector<LagOctave> OctavesOf(std::span<const double> values, double total) {
  std::vector<LagOctave> octaves;
  const auto count = static_cast<int64_t>(values.size());
  for (int64_t first = 0, next = 1; first < count; first = next, next *= 2) {
    LagOctave octave{first, std::min(next, count) - 1, 0, 0};
    for (int64_t k = first; k <= octave.last; ++k) octave.sum += values[static_cast<size_t>(k)];
    const bool has_shares = total > 0 && std::isfinite(total);
    octave.share = has_shares ? octave.sum / total : std::numeric_limits<double>::quiet_NaN();
    octaves.push_back(octave);
  }
  return octaves;
}

std::string LagText(const LagOctave& octave) {
  return octave.first == octave.last ? fmt::format("{}", octave.first)
                                     : fmt::format("{}-{}", octave.first, octave.last);
}

std::vector<double> EnvelopeOf(std::span<const double> values) {
  std::vector<double> envelope(values.begin(), values.end());
  for (size_t k = envelope.size(); k-- > 1;) {
    envelope[k - 1] = std::max(envelope[k - 1], envelope[k]);
  }
  return envelope;
}

std::vector<int64_t> SampledLags(int64_t count) {
  std::vector<int64_t> lags;
  int64_t step = 1;
  for (int64_t k = 0; k < count; k += step) {
    lags.push_back(k);
    if (k >= 32 * step) step *= 2;
  }
  return lags;
}

}  // namespace ssm
