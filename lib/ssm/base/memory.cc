#include "ssm/base/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();
constexpr int64_t kLargestText = int64_t{1} << 16;

/// The text of a file of the kernel; nothing when it is not there.
std::optional<std::string> KernelText(const std::string& path) {
  try {
    return ReadFile(path, kLargestText);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// The number in such a file; nothing when it is not there or says "max".
std::optional<int64_t> KernelNumber(const std::string& path) {
  const std::optional<std::string> text = KernelText(path);
  return text ? ParseInteger(Trim(*text)) : std::nullopt;
}

/// "MemAvailable:   123 kB" in bytes.
int64_t MachineMemory() {
  const std::string text = KernelText("/proc/meminfo").value_or("");
  for (const std::string& line : SplitText(text, '\n')) {
    if (!line.starts_with("MemAvailable:") || !line.ends_with(" kB")) continue;
    const std::string_view number = Trim(std::string_view(line).substr(13, line.size() - 16));
    if (const auto kib = ParseInteger(number)) return *kib * 1024;
  }
  return kUnlimited;
}

/// What the control groups (version 2) of this process still allow.
int64_t GroupMemory() {
  int64_t least = kUnlimited;
  const std::string group = KernelText("/proc/self/cgroup").value_or("");
  const size_t start = group.rfind("0::");
  if (start == std::string::npos) return least;
  std::string path = std::string(Trim(group.substr(start + 3)));
  while (true) {
    const std::string folder = "/sys/fs/cgroup" + path;
    const auto most = KernelNumber(JoinPath(folder, "memory.max"));
    const auto used = KernelNumber(JoinPath(folder, "memory.current"));
    if (most && used) least = std::min(least, std::max<int64_t>(*most - *used, 0));
    if (path.empty() || path == "/") return least;
    path = ParentPath(path);
  }
}

int64_t AddressSpace() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  const std::string pages = KernelText("/proc/self/statm").value_or("");
  const int64_t used = ParseInteger(SplitText(pages, ' ')[0]).value_or(0) * sysconf(_SC_PAGESIZE);
  return std::max<int64_t>(static_cast<int64_t>(limit.rlim_cur) - used, 0);
}

}  // namespace

MemoryBound FreeMemory(int64_t at_most) {
  const std::array<MemoryBound, 4> bounds = {{
      {MachineMemory(), "are free"},
      {GroupMemory(), "are left under the limit of its control group"},
      {AddressSpace(), "are left under the limit of its address space (ulimit -v)"},
      {at_most > 0 ? at_most : kUnlimited, "are allowed by --max-memory"},
  }};
  return *std::min_element(
      bounds.begin(), bounds.end(),
      [](const MemoryBound& a, const MemoryBound& b) { return a.bytes < b.bytes; });
}

int64_t AvailableMemory() { return FreeMemory().bytes; }

}  // namespace ssm
