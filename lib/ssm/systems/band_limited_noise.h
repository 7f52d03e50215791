// Noise without power above a highest frequency: the signal that memories are measured with.
#pragma once

#include <cstdint>

#include "ssm/systems/matrix.h"

namespace ssm {

/// Gaussian noise with a flat spectrum up to `lines` / `period`.
struct BandLimitedNoise {
  int64_t samples = 0;   // >= 0
  int64_t channels = 1;  // >= 1, independent of each other and of how many there are
  int64_t period = 1;    // samples after which it repeats, >= 1
  int64_t lines = 1;     // frequencies m / period cycles per sample, m = 1 ... lines <= period / 2
  uint64_t seed = 1;
};

/// [samples, channels]: x_t = sum_m (a_m cos(2 pi m t / period) + b_m sin(2 pi m t / period)) /
/// sqrt(lines) with standard normal a and b: mean 0, variance 1 over draws. By Fourier transforms,
/// O(channels period log period).
/// @throws Error(kBadConfig) telling every field out of its range.
Matrix MakeBandLimitedNoise(const BandLimitedNoise& noise);

}  // namespace ssm
