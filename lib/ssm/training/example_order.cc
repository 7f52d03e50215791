#include "ssm/training/example_order.h"

#include <bit>

#include "ssm/base/errors.h"
#include "ssm/base/random.h"

namespace ssm {
namespace {

constexpr int kRounds = 6;

uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

/// A permutation of [0, 4^half_bits).
uint64_t Permute(uint64_t value, int half_bits, uint64_t seed, uint64_t epoch) {
  const uint64_t mask = (uint64_t{1} << half_bits) - 1;
  uint64_t left = value >> half_bits;
  uint64_t right = value & mask;
  for (uint32_t round = 0; round < kRounds; ++round) {
    // Epochs stay far below 2^56: the top byte tells rounds apart.
    const uint64_t tag = epoch | (uint64_t{round + 1} << 56);
    const auto block =
        Philox4x32({Low(right), High(right), Low(tag), High(tag)}, {Low(seed), High(seed)});
    const uint64_t mixed = (block[0] | (uint64_t{block[1]} << 32)) & mask;
    const uint64_t next = left ^ mixed;
    left = right;
    right = next;
  }
  return (left << half_bits) | right;
}

}  // namespace

int64_t TrainExample(uint64_t seed, int64_t position, int64_t count) {
  if (count < 0) return position;
  SSM_CHECK(count > 0, "an empty split has no sequence");
  const uint64_t size = static_cast<uint64_t>(count);
  const uint64_t epoch = static_cast<uint64_t>(position) / size;
  uint64_t value = static_cast<uint64_t>(position) % size;
  const int half_bits = (static_cast<int>(std::bit_width(size - 1)) + 1) / 2;
  if (half_bits == 0) return 0;
  // The order must not collide with the draws of example `position`, which share the seed.
  const uint64_t key = HashBytes("order", 5, seed);
  do {
    value = Permute(value, half_bits, key, epoch);
  } while (value >= size);
  return static_cast<int64_t>(value);
}

}  // namespace ssm
