// The parameters of a block-recurrent layer's states.
#pragma once

#include "ssm/kernels/block_recurrence.h"
#include "ssm/nn/parameters.h"

namespace ssm {

/// A parameter that may not be there.
struct MaybeParam {
  Param param;
  bool there = false;
};
using StateParams = kernels::BlockRecurrenceArrays<MaybeParam>;

/// Adds those that a layer of this shape needs; those of tokens and rows stay away.
StateParams AddStateParams(const kernels::BlockRecurrenceShape& shape, ParameterBuilder parameters);

}  // namespace ssm
