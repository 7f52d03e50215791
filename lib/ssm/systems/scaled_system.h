// Systems scaled so that what is squared neither overflows nor vanishes.
#pragma once

#include "ssm/systems/linear_system.h"

namespace ssm {

/// A system with the largest entries of B and C brought near 2^400, and D's to twice that exponent
/// at most, by powers of two, which rounds nothing: squares of these stay below the largest double,
/// and entries 1e-280 times as large, of states in other units, are not lost beside them. With b
/// and c the exponents, B = 2^b B', C = 2^c C', D = 2^(b + c) D': its state is 2^-b, its kernel, H2
/// norm and Hankel values 2^-(b + c) times those of the original, and its memory capacity the same.
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

/// Multiplies `matrix` by the power of two that brings its largest entry near 2^400, and returns
/// the exponent of the one that brings it back; 0 for a matrix of zeros.
int ScaleToRange(Matrix& matrix);

}  // namespace ssm
