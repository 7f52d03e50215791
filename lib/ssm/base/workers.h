// A few threads that share a list of independent tasks.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace ssm {

/// Sets flush-to-zero and denormals-are-zero for the calling thread. Every thread that computes
/// calls it, the main one included: decayed state goes denormal and costs 6x otherwise.
void FlushDenormals();

/// How many threads to use when nobody said: SSMCTL_THREADS, SLURM_CPUS_PER_TASK, then the affinity
/// mask; never the machine's count. Throws Error(kUsage) on a malformed variable.
int DefaultThreads();

/// A pool that runs indexed tasks. Results must not depend on which worker runs a task or in which
/// order: callers give every task its own output and reduce in task order. Waiting threads sleep.
class Workers {
 public:
  /// `threads` >= 1 counts the calling thread.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const;

  /// Calls task(i, worker) once for every i in [0, n), worker in [0, threads()), and returns when
  /// all are done. If tasks throw, the exception of the lowest i is rethrown after the others have
  /// finished. Allocates nothing. Must not be called from inside a task.
  template <class F>
  void Run(int64_t n, F&& task) {
    using Body = std::remove_reference_t<F>;
    RunErased(n, const_cast<void*>(static_cast<const void*>(&task)),
              [](void* body, int64_t i, int worker) { (*static_cast<Body*>(body))(i, worker); });
  }

 private:
  using Call = void (*)(void*, int64_t, int);
  void RunErased(int64_t n, void* body, Call call);

  struct Pool;
  std::unique_ptr<Pool> pool_;
};

}  // namespace ssm
