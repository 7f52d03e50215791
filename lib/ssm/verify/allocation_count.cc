#include "ssm/verify/allocation_count.h"

#include <atomic>

namespace ssm {
namespace {

std::atomic<int64_t (*)()> counter{nullptr};

}  // namespace

void SetAllocationCounter(int64_t (*count)()) { counter.store(count); }

int64_t AllocationCount() {
  int64_t (*count)() = counter.load();
  return count != nullptr ? count() : -1;
}

}  // namespace ssm
