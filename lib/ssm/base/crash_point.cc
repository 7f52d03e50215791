#include "ssm/base/crash_point.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "ssm/base/text.h"

namespace ssm {
namespace {

constexpr std::array<std::string_view, static_cast<size_t>(CrashPoint::kCount)> kNames = {
    "start",
    "draw",
    "forward",
    "backward",
    "update",
    "validate",
    "metrics_append",
    "checkpoint_open",
    "checkpoint_write",
    "checkpoint_fsync",
    "checkpoint_rename",
    "checkpoint_pointer",
    "checkpoint_remove"};

/// The first byte of the file named by SSM_TEST_PHASE, shared with whoever reads the file.
std::atomic<unsigned char>* MapPhase(const char* path) {
  std::string bytes = "?\n";
  for (std::string_view name : kNames) bytes.append(name).append("\n");
  const int descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return nullptr;
  const bool written =
      write(descriptor, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  void* map = written
                  ? mmap(nullptr, bytes.size(), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
                  : MAP_FAILED;
  close(descriptor);
  return map == MAP_FAILED ? nullptr : static_cast<std::atomic<unsigned char>*>(map);
}

struct Watch {
  CrashPoint target = CrashPoint::kCount;
  std::atomic<int64_t> left = 0;
  std::atomic<unsigned char>* phase = nullptr;

  Watch() {
    if (const char* path = std::getenv("SSM_TEST_PHASE")) phase = MapPhase(path);
    const char* crash = std::getenv("SSM_TEST_CRASH");
    if (crash == nullptr) return;
    const std::vector<std::string> parts = SplitText(crash, ':');
    for (size_t i = 0; i < kNames.size(); ++i) {
      if (kNames[i] == parts[0]) target = static_cast<CrashPoint>(i);
    }
    left = parts.size() == 2 ? ParseInteger(parts[1]).value_or(1) : 1;
  }
};

}  // namespace

std::string_view CrashPointName(CrashPoint point) { return kNames[static_cast<size_t>(point)]; }

namespace internal {

const bool crash_points_watched =
    std::getenv("SSM_TEST_CRASH") != nullptr || std::getenv("SSM_TEST_PHASE") != nullptr;

void PassCrashPoint(CrashPoint point) {
  static Watch watch;
  if (watch.phase != nullptr)
    watch.phase->store(static_cast<unsigned char>('a' + static_cast<int>(point)));
  if (point == watch.target && watch.left.fetch_sub(1) == 1) raise(SIGKILL);
}

}  // namespace internal
}  // namespace ssm
