// The states of a block-recurrent layer: read by tokens, updated at the ends of blocks.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/kernels/block_recurrence.h"

namespace ssm {

/// Var for each array of kernels::BlockRecurrenceArrays; none where that may be null.
template <Scalar T>
using BlockRecurrenceInputs = kernels::BlockRecurrenceArrays<Var<T>>;

/// What the shape of its inputs does not tell.
struct BlockRecurrenceForm {
  int64_t heads = 1, block = 1;  // tokens
  kernels::StateGate gate = kernels::StateGate::kFixed;
  kernels::BlockStructure structure = kernels::BlockStructure::kSkip;
};

template <Scalar T>
struct BlockRecurrenceOutputs {
  Var<T> y;     // [B, T, D]
  Var<T> last;  // [B, S, D]
};

/// See kernels::BlockRecurrence. Gradients flow through all of it, from block to block.
/// Saved: S D numbers for each stretch of tokens within a block; all else is computed again.
template <Scalar T>
BlockRecurrenceOutputs<T> BlockRecurrence(Tape<T>& tape, const BlockRecurrenceInputs<T>& in,
                                          const BlockRecurrenceForm& form, const Clock& clock);

}  // namespace ssm
