#include "ssm/base/cpu.h"

#include <cstdio>
#include <string_view>

#include "ssm/base/build_isa.h"
#include "ssm/base/errors.h"

// This file is compiled for the plain processor of its family, so that it runs where the rest of
// the program does not.
namespace ssm {
namespace {

struct Instruction {
  const char* name;
  uint32_t bit;
  bool available;  // on this processor
};

#if defined(__x86_64__) || defined(__i386__)
#define SSM_INSTRUCTION(name, bit) \
  Instruction { name, bit, __builtin_cpu_supports(name) != 0 }
#else
#define SSM_INSTRUCTION(name, bit) \
  Instruction { name, bit, true }
#endif

template <class Visit>
void ForEachInstruction(const Visit& visit) {
  const Instruction instructions[] = {
      SSM_INSTRUCTION("sse3", kSse3),
      SSM_INSTRUCTION("ssse3", kSsse3),
      SSM_INSTRUCTION("sse4.1", kSse41),
      SSM_INSTRUCTION("sse4.2", kSse42),
      SSM_INSTRUCTION("popcnt", kPopcnt),
      SSM_INSTRUCTION("avx", kAvx),
      SSM_INSTRUCTION("avx2", kAvx2),
      SSM_INSTRUCTION("fma", kFma),
      SSM_INSTRUCTION("f16c", kF16c),
      SSM_INSTRUCTION("bmi", kBmi),
      SSM_INSTRUCTION("bmi2", kBmi2),
      SSM_INSTRUCTION("avx512f", kAvx512f),
      SSM_INSTRUCTION("avx512cd", kAvx512cd),
      SSM_INSTRUCTION("avx512bw", kAvx512bw),
      SSM_INSTRUCTION("avx512dq", kAvx512dq),
      SSM_INSTRUCTION("avx512vl", kAvx512vl),
      SSM_INSTRUCTION("avx512vbmi", kAvx512vbmi),
      SSM_INSTRUCTION("avx512vnni", kAvx512vnni),
  };
  for (const Instruction& instruction : instructions) visit(instruction);
}

void Append(std::string& list, const char* name) {
  if (!list.empty()) list += ' ';
  list += name;
}

std::string MissingOf(uint32_t instructions) {
  std::string list;
  ForEachInstruction([&](const Instruction& i) {
    if ((instructions & i.bit) != 0 && !i.available) Append(list, i.name);
  });
  return list;
}

// The widest setting of SSM_ARCH that also runs here and on the machines like it.
const char* FittingArch() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c")) {
    return "x86-64-v3";
  }
#endif
  return "portable";
}

}  // namespace

std::string CpuName() {
  std::FILE* file = std::fopen("/proc/cpuinfo", "r");
  if (file == nullptr) return "unknown";
  std::string name = "unknown";
  char line[512];
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    const std::string_view text = line;
    if (!text.starts_with("model name")) continue;
    const size_t start = text.find_first_not_of(": \t", text.find(':'));
    if (start != std::string_view::npos) {
      name = text.substr(start, text.find_last_not_of(" \n") + 1 - start);
    }
    break;
  }
  std::fclose(file);
  return name;
}

std::string BuildInstructions() {
  std::string list;
  ForEachInstruction([&](const Instruction& i) {
    if ((kBuildInstructions & i.bit) != 0) Append(list, i.name);
  });
  return list;
}

std::string MissingInstructions() { return MissingOf(kBuildInstructions); }

void CheckCpu() { internal::CheckCpuFor(kBuildInstructions); }

void internal::CheckCpuFor(uint32_t instructions) {
  const std::string missing = MissingOf(instructions);
  if (missing.empty()) return;
  Fail(ExitCode::kUnavailable,
       "This program was built for a processor with " + missing + ", which this one (" + CpuName() +
           ") lacks; rebuild it with: cmake -B build -DSSM_ARCH=" + FittingArch() +
           " && cmake --build build");
}

}  // namespace ssm
