// Reproducible numbers for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ssm::test {

/// n numbers of about unit size, in (-sqrt 3, sqrt 3), from a 64-bit mixing sequence
/// (splitmix64); `seed` picks the sequence.
template <class T>
std::vector<T> Numbers(int64_t n, uint64_t seed) {
  std::vector<T> numbers(static_cast<size_t>(n));
  uint64_t state = seed * 0x9E3779B97F4A7C15u + 12345;
  for (T& number : numbers) {
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    const double unit = static_cast<double>(z >> 11) * 0x1p-53;
    number = static_cast<T>((2 * unit - 1) * 1.7320508075688772);
  }
  return numbers;
}

}  // namespace ssm::test
