// How training walks a sequence.
#pragma once

#include <cstdint>

namespace ssm {

struct Chunking {
  int64_t chunk = 0;   // tokens on the tape at once; 0: all
  bool carry = false;  // chunks hand on their state, but no gradient goes back through it

  /// Tokens on the tape at once in a sequence of `steps`.
  int64_t Longest(int64_t steps) const { return chunk > 0 && chunk < steps ? chunk : steps; }
  int64_t Count(int64_t steps) const {
    const int64_t longest = Longest(steps);
    return (steps + longest - 1) / longest;
  }
};

}  // namespace ssm
