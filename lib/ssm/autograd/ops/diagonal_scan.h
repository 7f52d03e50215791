// A linear recurrence of independent channels, every state of it.
#pragma once

#include "ssm/autograd/clock.h"

namespace ssm {

/// Whether channels are real, or pairs (re, im) in a last axis of 2.
enum class ScanField { kReal, kComplex };

template <Scalar T>
struct DiagonalScanOutputs {
  Var<T> h;     // [B, T, C] or [B, T, C, 2]
  Var<T> last;  // [B, C] or [B, C, 2]: the state after each row's last token
};

/// h[t] = a[t] h[t-1] + b[t]. b [B, T, C]; a of b's shape, or [C] for fixed coefficients; h0 [B,
/// C], the state before the first token, or none (zero), each with a last axis of 2 under kComplex.
/// At clock.pos 0 the state before is zero; at pos -1 it passes unchanged. Saved: nothing beyond h,
/// which the backward reads. FLOPs 2 B T C (8 for complex), the backward 4 (16).
template <Scalar T>
DiagonalScanOutputs<T> DiagonalScan(Tape<T>& tape, ScanField field, Var<T> a, Var<T> b, Var<T> h0,
                                    const Clock& clock);

}  // namespace ssm
