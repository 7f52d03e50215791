#include "ssm/experiment/lease.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <system_error>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/config/config_file.h"

namespace ssm {
namespace {

constexpr std::chrono::seconds kHeartbeat(30);
constexpr int64_t kStale = 600;  // seconds
constexpr int64_t kLargestText = int64_t{1} << 16;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// When a process of this machine was started, in clock ticks after boot; nothing when there is
/// none, or one that is dead and waits for its parent to notice (state Z or X). Fields 3 and 22 of
/// /proc/PID/stat; the name in field 2 may hold anything, so count from its end.
std::optional<int64_t> ProcessStart(int64_t pid) {
  std::string text;
  try {
    text = ReadFile(fmt::format("/proc/{}/stat", pid), kLargestText);
  } catch (const Error&) {
    return std::nullopt;
  }
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  const std::vector<std::string> fields = SplitText(text.substr(name_end + 1), ' ');
  constexpr size_t kState = 1, kStart = 20;  // fields 3 and 22, behind one blank
  if (fields.size() <= kStart || fields[kState] == "Z" || fields[kState] == "X") {
    return std::nullopt;
  }
  return ParseInteger(fields[kStart]);
}

bool IsAlive(const LeaseRecord& record) {
  const std::optional<int64_t> start = ProcessStart(record.pid);
  if (start) return *start == record.process_start;
  return false;
}

std::optional<LeaseRecord> ReadRecord(const std::string& path) {
  LeaseRecord record;
  try {
    ReadConfigText(ReadFile(path, kLargestText), path, {}, record);
  } catch (const Error&) {
    return std::nullopt;
  }
  if (record.pid == 0) return std::nullopt;
  return record;
}

[[noreturn]] void Refuse(const std::string& path, const std::optional<LeaseRecord>& holder) {
  const std::string run = QuotePath(ParentPath(path));
  if (!holder) Fail(ExitCode::kRefused, "Another process is training in " + run + ".");
  Fail(ExitCode::kRefused,
       fmt::format("Process {} on {} is training in {} (last sign of life {} ago); wait for it or "
                   "stop it.",
                   holder->pid, holder->host, run,
                   FormatDuration(static_cast<double>(std::time(nullptr) - holder->heartbeat))));
}

/// An open, locked descriptor of the file that `path` names now; -1 when another process locks it.
int LockFile(const std::string& path) {
  while (true) {
    const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) {
      Fail(ExitCode::kCannotCreate, fmt::format("Cannot open {}: {}.", QuotePath(path),
                                                std::generic_category().message(errno)));
    }
    const bool locked = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    if (!locked && errno == EWOULDBLOCK) {
      close(descriptor);
      return -1;
    }
    // Not locked for another reason: a file system without locks. The record alone must do.
    struct stat ours = {}, named = {};
    if (fstat(descriptor, &ours) == 0 && stat(path.c_str(), &named) == 0 &&
        ours.st_ino == named.st_ino && ours.st_dev == named.st_dev) {
      return descriptor;
    }
    close(descriptor);  // its holder removed it in between
  }
}

bool SameProcess(const LeaseRecord& a, const LeaseRecord& b) {
  return a.host == b.host && a.pid == b.pid && a.process_start == b.process_start &&
         a.started == b.started;
}

}  // namespace

void LeaseRecord::VisitFields(FieldVisitor& visitor) {
  visitor.Text("host", host, "machine");
  visitor.Int("pid", pid, {.min = 0}, "process");
  visitor.Int("process_start", process_start, {.min = 0}, "clock ticks after boot");
  visitor.Int("started", started, {.min = 0}, "Unix seconds");
  visitor.Int("heartbeat", heartbeat, {.min = 0}, "Unix seconds");
  visitor.Text("slurm_job", slurm_job, "SLURM_JOB_ID");
  visitor.Int("slurm_restarts", slurm_restarts, {.min = 0}, "SLURM_RESTART_COUNT");
}

LeaseRecord OwnLease() {
  LeaseRecord record;
  char host[HOST_NAME_MAX + 1] = {};
  record.host = gethostname(host, HOST_NAME_MAX) == 0 ? host : "unknown";
  record.pid = getpid();
  record.process_start = ProcessStart(record.pid).value_or(0);
  record.started = record.heartbeat = std::time(nullptr);
  record.slurm_job = Environment("SLURM_JOB_ID");
  record.slurm_restarts = ParseInteger(Environment("SLURM_RESTART_COUNT")).value_or(0);
  return record;
}

LeaseVerdict JudgeLease(const LeaseRecord& found, const LeaseRecord& ours, int64_t now,
                        bool found_is_alive) {
  bool free = now - found.heartbeat >= kStale;
  if (found.host == ours.host) {
    free = !found_is_alive;
  } else if (!ours.slurm_job.empty() && found.slurm_job == ours.slurm_job) {
    free = free || ours.slurm_restarts > found.slurm_restarts;
  }
  return free ? LeaseVerdict::kTakeOver : LeaseVerdict::kRefuse;
}

Lease::Lease(std::string path) : path_(std::move(path)), record_(OwnLease()) {
  descriptor_ = LockFile(path_);
  const std::optional<LeaseRecord> found = ReadRecord(path_);
  if (descriptor_ < 0) Refuse(path_, found);
  if (found) {
    const LeaseVerdict verdict = JudgeLease(*found, record_, std::time(nullptr), IsAlive(*found));
    if (verdict == LeaseVerdict::kRefuse) {
      close(descriptor_);
      Refuse(path_, found);
    }
    previous_ = found;
  }
  try {
    Write();
  } catch (...) {
    close(descriptor_);
    throw;
  }
  thread_ = std::thread([this] { Beat(); });
}

Lease::~Lease() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopping_.notify_all();
  thread_.join();
  // Removed while still locked: whoever opens it before that finds another file under its name.
  if (!lost_) unlink(path_.c_str());
  close(descriptor_);
}

void Lease::Write() {
  record_.heartbeat = std::time(nullptr);
  const std::string text = WriteConfig(record_);
  const bool written = pwrite(descriptor_, text.data(), text.size(), 0) == std::ssize(text) &&
                       ftruncate(descriptor_, std::ssize(text)) == 0;
  if (!written) {
    Fail(ExitCode::kIoError, fmt::format("Cannot write {}: {}.", QuotePath(path_),
                                         std::generic_category().message(errno)));
  }
}

void Lease::Beat() {
  std::unique_lock lock(mutex_);
  while (!stopping_.wait_for(lock, kHeartbeat, [this] { return stop_; })) {
    const std::optional<LeaseRecord> found = ReadRecord(path_);
    if (!found || !SameProcess(*found, record_)) {
      lost_ = true;
      return;
    }
    try {
      Write();
    } catch (const Error&) {
      // A full disk now is no reason to stop; a lease grown old shows in `lost`.
    }
  }
}

}  // namespace ssm
