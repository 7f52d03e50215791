// How many allocations the process has made, if somebody counts them.
#pragma once

#include <cstdint>

namespace ssm {

/// A program that can count its allocations says how: link ssm_counting_new and call
/// CountAllocationsWithNew(), or bring another counter. Null takes it away.
void SetAllocationCounter(int64_t (*count)());

/// Allocations so far, by all threads; -1 when nobody counts (the no_allocation law then fails and
/// says so).
int64_t AllocationCount();

}  // namespace ssm
