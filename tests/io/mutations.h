// Damaged copies of a file: what a strict reader has to survive.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "ssm/base/random.h"

namespace ssm::test {

/// The n-th damaged copy: one to four bytes changed, dropped, doubled or moved, or a digit or a
/// bracket put where it may hurt.
inline std::string Mutate(const std::string& bytes, uint64_t n) {
  Random random(1, RandomStream::kLaw, n);
  std::string copy = bytes;
  constexpr std::string_view kSharp = "0129-+.eE\"'{}[](),:\\ \n\xFF";
  for (int64_t edits = 1 + random.Below(4); edits > 0 && !copy.empty(); --edits) {
    const size_t at = static_cast<size_t>(random.Below(static_cast<int64_t>(copy.size())));
    const char sharp = kSharp[static_cast<size_t>(random.Below(std::ssize(kSharp)))];
    switch (random.Below(6)) {
      case 0:
        copy[at] = static_cast<char>(random.Below(256));
        break;
      case 1:
        copy[at] = static_cast<char>(copy[at] ^ (1 << random.Below(8)));
        break;
      case 2:
        copy[at] = sharp;
        break;
      case 3:
        copy.insert(at, 1, sharp);
        break;
      case 4:
        copy.erase(at, static_cast<size_t>(1 + random.Below(8)));
        break;
      default:
        copy.insert(at, copy.substr(at, static_cast<size_t>(1 + random.Below(16))));
    }
  }
  return copy;
}

}  // namespace ssm::test
