// A memory of fixed projections over a sequence, every state of it.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/autograd/ops/discretize_memory.h"
#include "ssm/kernels/memory_step.h"

namespace ssm {

using kernels::MemoryRule;
using kernels::MemoryShape;
using kernels::MemoryStart;

template <Scalar T>
struct MemoryScanOutputs {
  Var<T> c;     // [B, T, M N]: after every token
  Var<T> last;  // [B, M, N]: after each row's last token
};

/// Of M memories of N numbers, c_t = c_{t-1} + (A_bar - 1) c_{t-1} + B_bar u_t, the same for all
/// (recorded as "memory_scan"), or HiPPO-LegS's step at t = pos + 1 (kernels::MemoryRule;
/// "legs_scan", for which `discrete` is none). u [B, T, M]; c0 [B, M, N] the state before the first
/// token, or none (zero). At clock.pos 0 the state before is zero; at pos -1 it passes unchanged.
/// A_bar and B_bar are given gradients together or not at all.
/// Saved: where those are wanted, M N numbers a token beside c. FLOPs 2 B T M N (N + 1), of LegS 14
/// B T M N; the backward costs as much, and as much again where A_bar's gradient is wanted.
template <Scalar T>
MemoryScanOutputs<T> MemoryScan(Tape<T>& tape, const MemoryShape& memory,
                                const DiscreteMemory<T>& discrete, Var<T> u, Var<T> c0,
                                const Clock& clock);

}  // namespace ssm
