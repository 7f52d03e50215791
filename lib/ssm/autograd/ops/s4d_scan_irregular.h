// The scan of a diagonal state-space layer whose step differs from token to token.
#pragma once

#include "ssm/autograd/ops/s4d_scan.h"

namespace ssm {

/// S4dScan with A_bar and B_bar discretised anew for each token: the step is
/// dt[b, t] dt_scale exp(log_dt). dt [B, T] >= 0, in units of the trained step; its gradient is the
/// sum over channels and modes. Coefficients live for one tile of 32 tokens, in double while they
/// are made; nothing of size B T D M is stored.
/// Saved: one state for every 32 tokens of a row. FLOPs 16 B T D M and 60 B T D M for the
/// coefficients, three times that in the backward.
template <Scalar T>
ScanOutputs<T> S4dScanIrregular(Tape<T>& tape, Var<T> x, Var<T> dt,
                                const DiagonalParameters<T>& parameters, Var<T> c, Var<T> skip,
                                Var<T> h0, const Clock& clock);

}  // namespace ssm
