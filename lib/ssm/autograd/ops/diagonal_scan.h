// A linear recurrence of independent channels, every state of it.
#pragma once

#include "ssm/autograd/clock.h"

namespace ssm {

/// Whether channels are real, or pairs (re, im) side by side: a last axis of 2, or of 2 C.
enum class ScanField { kReal, kComplex };
/// Whether coefficients are A itself, or A - 1, which keeps the digits of slow decays.
enum class ScanCoefficient { kWhole, kMinusOne };

template <Scalar T>
struct DiagonalScanOutputs {
  Var<T> h;     // shaped as b
  Var<T> last;  // [B] and the axes of one token's coefficients: the state after each last token
};

/// h[t] = A[t] h[t-1] + b[t]. b [B, T, C]; a [B, T, C], or [C] for fixed coefficients; h0 [B, C],
/// the state before the first token, or none (zero), each with pairs under kComplex. At clock.pos 0
/// the state before is zero; at pos -1 it passes unchanged. Saved: nothing beyond h, which the
/// backward reads. FLOPs 2 B T C (8 for complex), the backward 4 (16).
template <Scalar T>
DiagonalScanOutputs<T> DiagonalScan(Tape<T>& tape, ScanField field, Var<T> a, Var<T> b, Var<T> h0,
                                    const Clock& clock,
                                    ScanCoefficient coefficient = ScanCoefficient::kWhole);

}  // namespace ssm
