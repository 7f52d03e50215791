// What remembering costs as a sequence grows: bytes held and FLOPs a token.
#pragma once

#include <span>
#include <vector>

#include "ssm/models/sequence_model.h"

namespace ssm {

/// Of one row's state after `steps` tokens, and of the token that made it the last of them.
struct StateCostPoint {
  int64_t steps = 1;
  double bytes = 0;          // live bytes, each slot in its own type
  double float32_bytes = 0;  // the same numbers as float32
  double flops = 0;          // of one token, prepared values aside: counted by plan mode at T = 1
};

/// One point for each number of steps, each at least 1. The layout of the slots gives the bytes and
/// a plan of one token the FLOPs: neither memory nor time depends on how large the numbers are. The
/// model may be one of InitialValues::kLayout.
template <Scalar T>
std::vector<StateCostPoint> StateCost(const SequenceModel<T>& model,
                                      std::span<const int64_t> steps);

/// 1, 2, 4, ... below `last`, then `last`.
std::vector<int64_t> CostSteps(int64_t last);

}  // namespace ssm
