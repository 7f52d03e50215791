// The convolution kernel of a layer, as it answers single inputs.
#pragma once

#include <vector>

#include "ssm/analysis/isolated_mixer.h"
#include "ssm/analysis/lag_energy.h"

namespace ssm {

/// Of a time-invariant mixer alone: y_t = sum_k K_k x_{t-k}, each K_k [channels, channels].
struct LayerKernel {
  std::vector<double> norms;  // |K_k|_F, k = 0, 1, ...; a skip is in K_0
  double gain = 0;            // sum_k |K_k|_inf over these lags: ResponseGain's, of the layer
  bool faded = false;         // whether `norms` ends where the kernel has; else by the budget
};

struct KernelOptions {
  double dt_scale = 1;
  int64_t most_lags = 65536;
  double budget = 4e8;  // numbers of state that are stepped
};

/// By stepping the mixer from its fresh state on an impulse in each channel, the response to
/// nothing taken away; channels that do not meet within four lags are taken never to, and then all
/// impulses share a row. Lags are followed to the first power of two, 64 at least, whose last
/// octave stays below 1e-3 of the largest |K_k|_F, k > 0, or as far as the options go. Cost of a
/// lag: a step of the mixer on as many rows as impulses.
LayerKernel KernelOf(const IsolatedMixer& mixer, const KernelOptions& options = {});

/// |K_k|_F^2 by octave of lag, in shares of the lags followed: the layer's memory profile.
std::vector<LagOctave> EnergyByLag(const LayerKernel& kernel);

}  // namespace ssm
