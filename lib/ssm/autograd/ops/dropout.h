// Dropout whose mask does not depend on how a batch is cut.
#pragma once

#include "ssm/autograd/clock.h"

namespace ssm {

/// Where a dropout stands: its mask element is a function of (key, site, row + b, position,
/// channel) alone.
struct DropoutSite {
  uint64_t key = 0;  // of (seed, optimiser step)
  int64_t site = 0;  // differs between the dropouts of one model
  int64_t row = 0;   // global index of this batch's first row
  double rate = 0;   // share of zeros, in [0, 1)
};

/// y = x mask / (1 - rate), x [B, T, D] (Srivastava et al. 2014); rate 0 gives x itself and records
/// nothing. Bits of Philox4x32-10, four channels a block; an element is kept with probability
/// 1 - rate to within 2^-32.
/// Saved: one bit an element. FLOPs 1 an element (random bits are not counted), the backward 2.
template <Scalar T>
Var<T> ApplyDropout(Tape<T>& tape, Var<T> x, const Clock& clock, const DropoutSite& site);

}  // namespace ssm
