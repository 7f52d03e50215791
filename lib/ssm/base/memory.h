// What memory this process may still take.
#pragma once

#include <cstdint>
#include <string_view>

namespace ssm {

/// A bound on further memory, and how a sentence ends that states it: "... and 3.20 GiB are free".
struct MemoryBound {
  int64_t bytes = 0;
  std::string_view words;
};

/// The least of the machine's free memory, what the control groups of this process and its
/// address-space limit still allow, and `at_most` (--max-memory; 0: no such bound).
MemoryBound FreeMemory(int64_t at_most = 0);

/// FreeMemory().bytes.
int64_t AvailableMemory();

}  // namespace ssm
