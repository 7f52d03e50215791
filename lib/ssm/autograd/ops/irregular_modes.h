// Modes whose step differs from token to token, discretised for a scan.
#pragma once

#include "ssm/autograd/ops/discretize_diagonal.h"

namespace ssm {

template <Scalar T>
struct IrregularModeOutputs {
  Var<T> a_minus_1;  // [B, T, M, 2]
  Var<T> input;      // [B, T, 2 M]: B_bar u
};

/// For each token the coefficients of M complex modes with a step each: mode m at token t of row b
/// steps by dt[b, t] dt_scale exp(log_dt[m]). u [B, T, 2 M] pairs; dt [B, T] >= 0, in units of the
/// trained step; parameters as DiscretizeDiagonal's with shapes [M]. Computed in double.
/// Saved: nothing beyond the outputs. FLOPs 68 B T M, the backward 140 B T M.
template <Scalar T>
IrregularModeOutputs<T> IrregularModes(Tape<T>& tape, Var<T> u, Var<T> dt,
                                       const DiagonalParameters<T>& parameters);

}  // namespace ssm
