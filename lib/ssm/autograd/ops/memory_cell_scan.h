// A memory of fixed projections inside a nonlinear recurrent cell: one operation over the whole
// sequence.
#pragma once

#include "ssm/autograd/ops/memory_scan.h"
#include "ssm/kernels/memory_cell.h"

namespace ssm {

using kernels::MemoryCell;

template <Scalar T>
struct MemoryCellArguments {
  MemoryShape memory;
  DiscreteMemory<T> discrete;  // none for LegS
  Var<T> u, p;                 // the input's part of u [B, T, M] and of p [B, T, G H]
  Var<T> encode_h, encode_c;   // [M, H]; [M, M N] or none
  Var<T> weight_c, weight_h;   // [G H, M N]; [G H, H] or none
  Var<T> h0, c0;               // [B, H], [B, M, N], or none (zero)
};

template <Scalar T>
struct MemoryCellOutputs {
  Var<T> y;     // [B, T, H]: h after every token
  Var<T> h, c;  // [B, H], [B, M, N]: after each row's last token
};

/// kernels::MemoryCellScan, recorded as "lmu_scan" (kTanh, G = 1) or "hippo_rnn_scan" (kGated,
/// G = 2). At clock.pos 0 the state before is zero; at pos -1 it passes unchanged.
/// Saved: M (N + 1) + G H numbers a token. FLOPs of a token 2 (M + G H) (M N + H) with all parts,
/// the memory's and the gates'; the backward costs twice that.
template <Scalar T>
MemoryCellOutputs<T> MemoryCellScan(Tape<T>& tape, MemoryCell cell,
                                    const MemoryCellArguments<T>& arguments, const Clock& clock);

}  // namespace ssm
