// What flows inside a model, for analysis.
#pragma once

#include <vector>

#include "ssm/tensor/array.h"

namespace ssm {

/// Filled by Forward, the gradient by Backward, by assignment.
template <Scalar T>
struct ModelTaps {
  Array<T> encoded;                    // [B, T, D] what the first block reads
  Array<T> encoded_gradient;           // the same of what was seeded; size 0: nothing reached it
  std::vector<Array<T>> mixer_inputs;  // [layers] of [B, T, D]: what each mixer reads
};

}  // namespace ssm
