// Which instruction sets the rest of the program may use: data only, safe to read anywhere.
#pragma once

#include <cstdint>

namespace ssm {

enum InstructionBit : uint32_t {
  kSse3 = 1u << 0,
  kSsse3 = 1u << 1,
  kSse41 = 1u << 2,
  kSse42 = 1u << 3,
  kPopcnt = 1u << 4,
  kAvx = 1u << 5,
  kAvx2 = 1u << 6,
  kFma = 1u << 7,
  kF16c = 1u << 8,
  kBmi = 1u << 9,
  kBmi2 = 1u << 10,
  kAvx512f = 1u << 11,
  kAvx512cd = 1u << 12,
  kAvx512bw = 1u << 13,
  kAvx512dq = 1u << 14,
  kAvx512vl = 1u << 15,
  kAvx512vbmi = 1u << 16,
  kAvx512vnni = 1u << 17,
};

extern const uint32_t kBuildInstructions;

}  // namespace ssm
