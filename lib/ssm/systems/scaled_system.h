// Systems scaled so that what is squared neither overflows nor vanishes.
#pragma once

#include "ssm/systems/linear_system.h"

namespace ssm {

/// A system with the largest entries of B and C brought within 2^-340 and 2^340, and D's below the
/// square of that, by powers of two, which rounds nothing, so that sums of squares stay in the
/// range of double. One that is within already stays as it is. With b and c the exponents, B = 2^b
/// B', C = 2^c C', D = 2^(b + c) D': its state is 2^-b, its kernel, H2 norm and Hankel values 2^-(b
/// + c) times those of the original, and its memory capacity the same.
template <class System>
struct ScaledSystem {
  System system;
  int input = 0, output = 0;  // b and c

  /// What the original has where this has `value`: of the state, or of kernel and outputs. Infinite
  /// or 0 where that is beyond double.
  double OfState(double value) const;
  double OfKernel(double value) const;
};

ScaledSystem<DiscreteSystem> ScaledSystemOf(DiscreteSystem system);
ScaledSystem<ContinuousSystem> ScaledSystemOf(ContinuousSystem system);

/// Multiplies `matrix` by the power of two that brings its largest entry within these bounds, and
/// returns the exponent of the one that brings it back; 0 where it is within, and for zeros.
int ScaleToRange(Matrix& matrix);

}  // namespace ssm
