#include "ssm/experiment/lease.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>

#include "ssm/base/files.h"
#include "ssm/config/config_file.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

namespace ssm {
namespace {

LeaseRecord Record(const std::string& host, int64_t heartbeat, const std::string& job = "",
                   int64_t restarts = 0) {
  LeaseRecord record;
  record.host = host;
  record.pid = 77;
  record.heartbeat = heartbeat;
  record.slurm_job = job;
  record.slurm_restarts = restarts;
  return record;
}

TEST_CASE("who may take over") {
  constexpr int64_t kNow = 100000;
  const auto judge = [](const LeaseRecord& found, const LeaseRecord& ours, bool alive) {
    return JudgeLease(found, ours, kNow, alive) == LeaseVerdict::kTakeOver;
  };
  const LeaseRecord ours = Record("a", kNow);
  SUBCASE("same host: a dead process at once, a living one never") {
    CHECK(judge(Record("a", kNow), ours, false));
    CHECK_FALSE(judge(Record("a", kNow), ours, true));
    CHECK_FALSE(judge(Record("a", 0), ours, true));
  }
  SUBCASE("another host: after ten minutes of silence") {
    CHECK_FALSE(judge(Record("b", kNow - 599), ours, false));
    CHECK(judge(Record("b", kNow - 600), ours, false));
  }
  SUBCASE("another host, the same Slurm job restarted: at once") {
    CHECK(judge(Record("b", kNow, "12", 0), Record("a", kNow, "12", 1), false));
    CHECK_FALSE(judge(Record("b", kNow, "12", 1), Record("a", kNow, "12", 1), false));
    CHECK_FALSE(judge(Record("b", kNow, "13", 0), Record("a", kNow, "12", 1), false));
    CHECK_FALSE(judge(Record("b", kNow, "", 0), Record("a", kNow, "", 1), false));
  }
}

TEST_CASE("one at a time, and gone afterwards") {
  const test::TempFolder folder;
  const std::string path = folder / "lease.json";
  {
    const Lease lease(path);
    CHECK_FALSE(lease.previous());
    CHECK_FALSE(lease.lost());
    const auto thrown = test::ErrorOf([&] { const Lease second(path); });
    CHECK(thrown.code == ExitCode::kRefused);
    CHECK(thrown.Says("Process " + std::to_string(getpid())));
  }
  CHECK_FALSE(Exists(path));
  const Lease again(path);
  CHECK(Exists(path));
}

TEST_CASE("a dead process's lease is taken over, a living one's is not") {
  const test::TempFolder folder;
  const std::string path = folder / "lease.json";
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  LeaseRecord dead = OwnLease();
  dead.pid = child;
  AtomicWriteFile(path, WriteConfig(dead));
  {
    const Lease lease(path);
    REQUIRE(lease.previous());
    CHECK(lease.previous()->pid == child);
  }
  LeaseRecord alive = OwnLease();  // this very process, unlocked: a file system without locks
  AtomicWriteFile(path, WriteConfig(alive));
  CHECK(test::ErrorOf([&] { const Lease lease(path); }).code == ExitCode::kRefused);
  alive.process_start += 1;  // the number was given to another process since
  AtomicWriteFile(path, WriteConfig(alive));
  CHECK(Lease(path).previous());
}

TEST_CASE("a process that died and whose parent has not noticed yet is dead") {
  const test::TempFolder folder;
  const std::string path = folder / "lease.json";
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    LeaseRecord record = OwnLease();
    AtomicWriteFile(path, WriteConfig(record));
    _exit(write(ready[1], "x", 1) == 1 ? 0 : 1);
  }
  char byte = 0;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  siginfo_t info;
  REQUIRE(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);  // a zombie now
  CHECK(Lease(path).previous()->pid == child);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

TEST_CASE("what cannot be read belongs to nobody") {
  const test::TempFolder folder;
  for (const char* text : {"", "{", "{\"host\":\"a\"}", "[]", "\xff\xfe"}) {
    AtomicWriteFile(folder / "lease.json", text);
    CHECK_FALSE(Lease(folder / "lease.json").previous());
  }
}

TEST_CASE("a folder that is not there cannot be claimed") {
  const test::TempFolder folder;
  CHECK(test::ErrorOf([&] { const Lease lease(folder / "no/lease.json"); }).code ==
        ExitCode::kCannotCreate);
}

}  // namespace
}  // namespace ssm
