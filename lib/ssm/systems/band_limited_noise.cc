#include "ssm/systems/band_limited_noise.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/base/random.h"
#include "ssm/kernels/fft.h"
#include "ssm/tensor/array.h"

namespace ssm {
namespace {

void RequireRanges(const BandLimitedNoise& noise) {
  std::vector<std::string> faults;
  const auto require = [&](bool good, const char* name, int64_t found, const std::string& allowed) {
    if (!good) faults.push_back(fmt::format("{} is {}; it is {}", name, found, allowed));
  };
  require(noise.samples >= 0, "samples", noise.samples, "0 or more");
  require(noise.channels >= 1, "channels", noise.channels, "1 or more");
  require(noise.period >= 1, "period", noise.period, "1 or more");
  require(noise.lines >= 1 && noise.lines <= noise.period / 2, "lines", noise.lines,
          fmt::format("1 to half of the period of {}", noise.period));
  if (faults.empty()) return;
  Fail(ExitCode::kBadConfig, fmt::format("band-limited noise: {}", fmt::join(faults, "; ")));
}

}  // namespace

Matrix MakeBandLimitedNoise(const BandLimitedNoise& noise) {
  RequireRanges(noise);
  const kernels::Fft<double>& fft = kernels::Fft<double>::OfLength(noise.period);
  Array<double> spectrum(Shape{noise.period, 2}), wave(Shape{noise.period, 2});
  const double scale = 1 / std::sqrt(static_cast<double>(noise.lines));
  Matrix signal(noise.samples, noise.channels);
  for (int64_t k = 0; k < noise.channels; ++k) {
    Random random(noise.seed, RandomStream::kTest, static_cast<uint64_t>(k));
    for (int64_t m = 1; m <= noise.lines; ++m) {
      spectrum[2 * m] = scale * random.Normal();
      spectrum[2 * m + 1] = -scale * random.Normal();
    }
    // The real part of (a - i b) e^(i phase) is a cos + b sin.
    fft.Inverse(spectrum.data(), wave.data());
    for (int64_t t = 0; t < noise.samples; ++t) signal(t, k) = wave[2 * (t % noise.period)];
  }
  return signal;
}

}  // namespace ssm
