// Who trains in a run directory: one process at a time, and never a dead one for long.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "ssm/config/fields.h"

namespace ssm {

/// What lease.json holds.
struct LeaseRecord final : Configurable {
  std::string host;
  int64_t pid = 0;
  int64_t process_start = 0;  // clock ticks after boot: tells a reused pid apart
  int64_t started = 0;        // Unix seconds
  int64_t heartbeat = 0;      // Unix seconds
  std::string slurm_job;      // empty outside Slurm
  int64_t slurm_restarts = 0;
  void VisitFields(FieldVisitor& visitor) override;
};

/// Of this process, now.
LeaseRecord OwnLease();

enum class LeaseVerdict { kTakeOver, kRefuse };

/// Whether `ours` may take over what `found` holds at `now`. Same host: when that process is dead.
/// Another host: at once for the same Slurm job with a higher restart count, else when the
/// heartbeat is 10 minutes old.
LeaseVerdict JudgeLease(const LeaseRecord& found, const LeaseRecord& ours, int64_t now,
                        bool found_is_alive);

/// Holds lease.json while it lives, writing the heartbeat every 30 s from a thread of its own. The
/// file is locked (flock) as well, which also parts two processes of one kernel that cannot see
/// each other. A file that cannot be read, and is not locked, belongs to nobody.
class Lease {
 public:
  /// @throws Error(kRefused) naming pid, host and the age of the heartbeat when another process
  /// holds it; Error(kCannotCreate), Error(kIoError).
  explicit Lease(std::string path);
  /// Removes the file.
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  /// Another process took it over (this one was suspended too long): stop without saving.
  bool lost() const { return lost_; }
  /// Whose it was before, when it was taken over.
  const std::optional<LeaseRecord>& previous() const { return previous_; }

 private:
  void Beat();
  void Write();

  std::string path_;
  LeaseRecord record_;
  std::optional<LeaseRecord> previous_;
  int descriptor_ = -1;
  std::atomic<bool> lost_ = false;
  std::mutex mutex_;
  std::condition_variable stopping_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace ssm
