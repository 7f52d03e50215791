// Counts heap allocations, so that a test can demand none.
#pragma once

#include <cstdint>

namespace ssm::test {

/// Calls of malloc and its like (operator new ends there) by the whole process since its start.
int64_t AllocationCount();

/// Allocations since construction.
class AllocationScope {
 public:
  AllocationScope() : start_(AllocationCount()) {}
  int64_t count() const { return AllocationCount() - start_; }

 private:
  int64_t start_;
};

}  // namespace ssm::test
