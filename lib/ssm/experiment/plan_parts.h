// Sizes that plans are made of. A plan must not need the memory it is about to refuse.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "ssm/base/memory.h"
#include "ssm/models/sequence_model.h"
#include "ssm/tasks/batch.h"

namespace ssm {

/// Bytes of a training batch as a task gives it, in double: it may be too large for an integer.
double BatchBytes(const TaskSpec& spec, int64_t rows);
/// As an integer, at most 2^62.
int64_t Saturated(double bytes);

/// Live bytes of one row's state after `steps` tokens, from the layout of its slots alone.
template <Scalar T>
double StateBytes(const std::vector<SlotSpec>& slots, int64_t steps);

/// Bytes of memory one row's state takes after `steps` tokens: rings and bounded caches have all
/// their room from the start.
template <Scalar T>
double StateRoom(const std::vector<SlotSpec>& slots, int64_t steps);

/// Makes sure that a plan can be made: it holds two sequences of `spec` with their states.
/// @throws Error(kRefused) when they take more than a quarter of `memory`.
template <Scalar T>
void RefuseEndlessSequences(const TaskSpec& spec, const std::vector<SlotSpec>& slots,
                            const MemoryBound& memory);

/// Numbers that are affine in the rows of a batch.
using RowCost = std::array<double, 3>;

/// plan(rows), or what plan(1) and plan(2) tell of it where `rows` would hold too many bytes.
/// `bytes`: of the data of all rows.
template <class Plan>
RowCost CostOfRows(int64_t rows, double bytes, const Plan& plan) {
  constexpr double kHeld = 0x1p26;
  if (rows <= 2 || bytes <= kHeld) return plan(rows);
  const RowCost two = plan(2);
  RowCost cost = plan(1);
  const double more = static_cast<double>(rows - 1);
  for (size_t i = 0; i < cost.size(); ++i) cost[i] += more * (two[i] - cost[i]);
  return cost;
}

}  // namespace ssm
