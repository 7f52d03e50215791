#include "ssm/base/workers.h"

#include <doctest/doctest.h>
#include <sched.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ssm/base/errors.h"
#include "support/allocation_counter.h"
#include "support/error_of.h"

namespace ssm {
namespace {

// Sets a variable for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

TEST_CASE("every task runs once, whatever the number of threads") {
  for (int threads : {1, 2, 3, 8}) {
    CAPTURE(threads);
    Workers workers(threads);
    CHECK(workers.threads() == threads);
    for (int64_t n : {0, 1, 2, 7, 1000}) {
      std::vector<int> runs(static_cast<size_t>(n));
      std::atomic<bool> in_range = true;
      workers.Run(n, [&](int64_t i, int worker) {
        ++runs[static_cast<size_t>(i)];
        if (worker < 0 || worker >= threads) in_range = false;
      });
      CHECK(in_range);
      CHECK(std::accumulate(runs.begin(), runs.end(), int64_t{0}) == n);
      CHECK(std::all_of(runs.begin(), runs.end(), [](int count) { return count == 1; }));
    }
  }
}

TEST_CASE("workers of two tasks at once have different numbers") {
  Workers workers(3);
  std::vector<std::atomic<int>> inside(3);
  std::atomic<bool> shared = false;
  for (int repeat = 0; repeat < 200; ++repeat) {
    workers.Run(30, [&](int64_t, int worker) {
      std::atomic<int>& count = inside[static_cast<size_t>(worker)];
      if (count.fetch_add(1) != 0) shared = true;
      count.fetch_sub(1);
    });
  }
  CHECK_FALSE(shared);
}

TEST_CASE("two tasks that wait for each other both run") {
  Workers workers(2);
  std::atomic<int> arrived = 0;
  workers.Run(2, [&](int64_t, int) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  CHECK(arrived == 2);
}

TEST_CASE("what tasks wrote is seen after Run, many times in a row") {
  Workers workers(4);
  std::vector<int64_t> values(64);
  for (int64_t round = 0; round < 2000; ++round) {
    workers.Run(64, [&](int64_t i, int) { values[static_cast<size_t>(i)] = round * i; });
    int64_t sum = 0;
    for (int64_t v : values) sum += v;
    REQUIRE(sum == round * 2016);
  }
}

TEST_CASE("the exception of the lowest task comes out after all others have run") {
  for (int threads : {1, 3}) {
    Workers workers(threads);
    std::atomic<int> done = 0;
    const auto fail_some = [&] {
      workers.Run(100, [&](int64_t i, int) {
        ++done;
        if (i == 17 || i == 18 || i == 93) throw std::runtime_error(std::to_string(i));
      });
    };
    CHECK_THROWS_WITH_AS(fail_some(), "17", std::runtime_error);
    CHECK(done == 100);
    // The pool goes on working, and forgets.
    workers.Run(10, [&](int64_t, int) { ++done; });
    CHECK(done == 110);
  }
}

TEST_CASE("Run inside a task is refused") {
  Workers workers(2), others(2);
  for (Workers* inner : {&workers, &others}) {
    const test::Thrown thrown = test::ErrorOf(
        [&] { workers.Run(2, [&](int64_t, int) { inner->Run(1, [](int64_t, int) {}); }); });
    CHECK(thrown.code == ExitCode::kInternal);
    CHECK(thrown.Says("inside a task"));
  }
  int ran = 0;
  workers.Run(1, [&](int64_t, int) { ++ran; });
  CHECK(ran == 1);
}

TEST_CASE("Run allocates nothing") {
  Workers workers(3);
  std::vector<double> values(100);
  const auto run = [&] {
    workers.Run(100, [&](int64_t i, int) { values[static_cast<size_t>(i)] += 1; });
  };
  // Every thread has started: what it needs for itself is there.
  std::barrier all(3);
  workers.Run(3, [&](int64_t, int) { all.arrive_and_wait(); });
  run();
  const test::AllocationScope scope;
  for (int i = 0; i < 50; ++i) run();
  CHECK(scope.count() == 0);
}

TEST_CASE("every thread flushes denormals") {
  Workers workers(3);
  std::vector<float> results(64, 1.0f);
  workers.Run(64, [&](int64_t i, int) {
    volatile float smallest = std::numeric_limits<float>::min();
    volatile float half = 0.5f;
    results[static_cast<size_t>(i)] = smallest * half;
  });
  for (float result : results) CHECK(result == 0.0f);
}

TEST_CASE("the default number of threads") {
  ::unsetenv("SSMCTL_THREADS");
  ::unsetenv("SLURM_CPUS_PER_TASK");
  cpu_set_t mask;
  REQUIRE(sched_getaffinity(0, sizeof(mask), &mask) == 0);
  CHECK(DefaultThreads() == CPU_COUNT(&mask));
  const Variable slurm("SLURM_CPUS_PER_TASK", "5");
  CHECK(DefaultThreads() == 5);
  const Variable own("SSMCTL_THREADS", "3");
  CHECK(DefaultThreads() == 3);
  for (const char* bad : {"0", "-1", "2x", "1.5", " 2", "99999999999999999999", "1025"}) {
    CAPTURE(bad);
    const Variable malformed("SSMCTL_THREADS", bad);
    const test::Thrown thrown = test::ErrorOf([] { DefaultThreads(); });
    CHECK(thrown.code == ExitCode::kUsage);
    CHECK(thrown.Says("SSMCTL_THREADS"));
    CHECK(thrown.Says(bad));
  }
}

TEST_CASE("the default follows the affinity mask, not the machine") {
  int threads = 0;
  std::thread([&] {
    ::unsetenv("SSMCTL_THREADS");
    cpu_set_t mask, one;
    CPU_ZERO(&mask);
    sched_getaffinity(0, sizeof(mask), &mask);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &mask)) continue;
      CPU_SET(cpu, &one);
      break;
    }
    sched_setaffinity(0, sizeof(one), &one);
    threads = DefaultThreads();
  }).join();
  CHECK(threads == 1);
}

}  // namespace
}  // namespace ssm
