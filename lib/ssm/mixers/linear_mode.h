// One mode of a linear layer: what its state forgets by itself, and how fast.
#pragma once

#include <complex>
#include <cstdint>

namespace ssm {

/// h' = pole h in the layer's own clock, of which a token is dt: h is multiplied by `multiplier` a
/// token. Of a conjugate pair there is one.
struct LinearMode {
  int64_t channel = -1;  // whose it is; -1: all channels share it
  std::complex<double> pole;
  double dt = 1;
  std::complex<double> multiplier;
  double decay = 0;  // -ln |multiplier|, without the cancellation of a slow mode
  double write = 0;  // the norm of what an input of 1 (of a shared mode: in any channel) adds
};

}  // namespace ssm
