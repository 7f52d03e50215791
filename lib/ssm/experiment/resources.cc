#include "ssm/experiment/resources.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

/// The number in a small file of the kernel; nothing when it is not there or says "max".
std::optional<int64_t> KernelNumber(const std::string& path) {
  try {
    return ParseInteger(Trim(ReadFile(path, 4096)));
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// "MemAvailable:   123 kB" in bytes.
int64_t FreeMemory() {
  const std::string text = ReadFile("/proc/meminfo", int64_t{1} << 16);
  for (const std::string& line : SplitText(text, '\n')) {
    if (!line.starts_with("MemAvailable:") || !line.ends_with(" kB")) continue;
    const std::string_view number = Trim(std::string_view(line).substr(13, line.size() - 16));
    if (const auto kib = ParseInteger(number)) return *kib * 1024;
  }
  return std::numeric_limits<int64_t>::max();
}

/// What the control group (version 2) of this process still allows.
int64_t GroupMemory() {
  int64_t least = std::numeric_limits<int64_t>::max();
  std::string group;
  try {
    group = ReadFile("/proc/self/cgroup", int64_t{1} << 16);
  } catch (const Error&) {
    return least;
  }
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
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<int64_t>::max();
  }
  const std::vector<std::string> pages = SplitText(ReadFile("/proc/self/statm", 4096), ' ');
  const int64_t used = ParseInteger(pages[0]).value_or(0) * sysconf(_SC_PAGESIZE);
  return std::max<int64_t>(static_cast<int64_t>(limit.rlim_cur) - used, 0);
}

std::string NearestExisting(std::string folder) {
  while (!IsDirectory(folder) && folder != "." && folder != "/") folder = ParentPath(folder);
  return folder;
}

}  // namespace

int64_t AvailableMemory() { return std::min({FreeMemory(), GroupMemory(), AddressSpace()}); }

void RefuseWhatDoesNotFit(const TrainPlan& plan, const std::string& folder) {
  const int64_t memory = AvailableMemory();
  if (plan.peak_bytes > memory) {
    Fail(ExitCode::kRefused,
         fmt::format(
             "Training would take {} of memory and {} are free; lower train.batch (and raise "
             "train.accumulate), the task's steps, or model.d_model.",
             FormatBytes(plan.peak_bytes), FormatBytes(memory)));
  }
  const std::string place = NearestExisting(folder);
  struct statvfs disk = {};
  if (statvfs(place.c_str(), &disk) != 0) return;
  const double free = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
  if (static_cast<double>(plan.disk_bytes) > free) {
    Fail(ExitCode::kRefused,
         fmt::format(
             "Checkpoints would take {} on the disk of {} and {} are free; lower train.keep "
             "or name another place with --out.",
             FormatBytes(plan.disk_bytes), Quote(place), FormatBytes(static_cast<int64_t>(free))));
  }
}

}  // namespace ssm
