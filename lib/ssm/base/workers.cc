#include "ssm/base/workers.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "ssm/base/errors.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

constexpr int64_t kMaxThreads = 1024;

// Set while this thread runs a task: Run from inside one would wait for itself.
thread_local bool inside_task = false;

int ThreadsFrom(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == 0) return 0;
  const std::optional<int64_t> threads = ParseInteger(text);
  if (!threads || *threads < 1 || *threads > kMaxThreads) {
    Fail(ExitCode::kUsage, std::string("The environment variable ") + variable + " is " +
                               Quote(text) + "; it must be a number of threads from 1 to " +
                               std::to_string(kMaxThreads) + ".");
  }
  return static_cast<int>(*threads);
}

int AffinityThreads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace

void FlushDenormals() {
#if defined(__SSE2__)
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  _mm_setcsr(_mm_getcsr() | 0x0040u);  // denormals are zero
#endif
}

int DefaultThreads() {
  for (const char* variable : {"SSMCTL_THREADS", "SLURM_CPUS_PER_TASK"}) {
    if (const int threads = ThreadsFrom(variable); threads > 0) return threads;
  }
  return AffinityThreads();
}

// One Run is one generation, open until the caller finds no task left. A helper that wakes too late
// finds it closed and sleeps on, so a busy neighbour delays nobody. The fields of a job change only
// while no helper is inside, so helpers read them without the mutex.
struct Workers::Pool {
  std::mutex mutex;
  std::condition_variable start, done;
  uint64_t generation = 0;
  bool open = false;
  int inside = 0;  // helpers at work on this generation
  bool stop = false;

  int64_t n = 0;
  void* body = nullptr;
  Call call = nullptr;
  std::atomic<int64_t> next{0};

  std::mutex failure_mutex;
  int64_t failed = std::numeric_limits<int64_t>::max();
  std::exception_ptr failure;

  std::vector<std::thread> threads;

  void Work(int worker) {
    inside_task = true;
    for (int64_t i = next.fetch_add(1); i < n; i = next.fetch_add(1)) {
      try {
        call(body, i, worker);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (i < failed) {
          failed = i;
          failure = std::current_exception();
        }
      }
    }
    inside_task = false;
  }

  void Loop(int worker) {
    FlushDenormals();
    uint64_t seen = 0;
    std::unique_lock lock(mutex);
    while (true) {
      start.wait(lock, [&] { return stop || (open && generation != seen); });
      if (stop) return;
      seen = generation;
      ++inside;
      lock.unlock();
      Work(worker);
      lock.lock();
      if (--inside == 0) done.notify_one();
    }
  }

  void Stop() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    start.notify_all();
    for (std::thread& thread : threads) thread.join();
  }
};

Workers::Workers(int threads) : pool_(std::make_unique<Pool>()) {
  SSM_CHECK(threads >= 1 && threads <= kMaxThreads, "a pool has 1 to 1024 threads");
  FlushDenormals();
  pool_->threads.reserve(static_cast<size_t>(threads - 1));
  try {
    for (int worker = 1; worker < threads; ++worker) {
      pool_->threads.emplace_back([pool = pool_.get(), worker] { pool->Loop(worker); });
    }
  } catch (const std::system_error& error) {
    pool_->Stop();
    Fail(ExitCode::kRefused,
         "The system refused thread " + std::to_string(pool_->threads.size() + 2) + " of " +
             std::to_string(threads) + " (" + error.what() + "); ask for fewer with --threads.");
  }
}

Workers::~Workers() { pool_->Stop(); }

int Workers::threads() const { return static_cast<int>(pool_->threads.size()) + 1; }

void Workers::RunErased(int64_t n, void* body, Call call) {
  SSM_CHECK(!inside_task, "Workers::Run was called from inside a task");
  if (n <= 0) return;
  Pool& pool = *pool_;
  {
    const std::lock_guard lock(pool.mutex);
    SSM_CHECK(!pool.open && pool.inside == 0, "two threads run tasks on one pool");
    pool.n = n;
    pool.body = body;
    pool.call = call;
    pool.next.store(0);
    pool.open = true;
    ++pool.generation;
  }
  if (n > 1) pool.start.notify_all();
  pool.Work(0);
  {
    std::unique_lock lock(pool.mutex);
    pool.open = false;
    pool.done.wait(lock, [&] { return pool.inside == 0; });
  }
  if (pool.failure) {
    pool.failed = std::numeric_limits<int64_t>::max();
    std::rethrow_exception(std::exchange(pool.failure, nullptr));
  }
}

}  // namespace ssm
