// Whether this machine can run this build.
#pragma once

#include <cstdint>
#include <string>

namespace ssm {

/// "AMD EPYC 7763 64-Core Processor", as the kernel names it; "unknown" where it does not.
std::string CpuName();

/// Instruction sets this build uses, blank between: "sse3 ... avx2 fma".
std::string BuildInstructions();

/// Instruction sets this build uses and this processor lacks, blank between; "" when all are there.
std::string MissingInstructions();

/// @throws Error(kUnavailable) naming what is missing and the line that rebuilds for this machine.
void CheckCpu();

namespace internal {
/// CheckCpu for a build that used `instructions`, an or of InstructionBit.
void CheckCpuFor(uint32_t instructions);
}  // namespace internal

}  // namespace ssm
