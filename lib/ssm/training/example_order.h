// Which sequence of the training split comes when.
#pragma once

#include <cstdint>

namespace ssm {

/// The sequence at place `position` of a run: `position` itself where the split is endless (count
/// -1), else an epoch after the other, each in an order of its own. A pure function: a Feistel
/// network over [0, 2^k) with Philox rounds, walked until it falls below `count` (Black & Rogaway
/// 2002, "Ciphers with arbitrary finite domains"). Expected cost under 4 networks.
int64_t TrainExample(uint64_t seed, int64_t position, int64_t count);

}  // namespace ssm
