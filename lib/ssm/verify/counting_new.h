// Global operator new and delete that count. A target of its own (ssm_counting_new): linking it
// replaces the operators of the whole program.
#pragma once

namespace ssm {

/// Makes ssm::AllocationCount() count calls of operator new. Cost: one relaxed increment each.
void CountAllocationsWithNew();

}  // namespace ssm
