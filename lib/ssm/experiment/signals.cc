#include "ssm/experiment/signals.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

// Lock-free atomics may be touched by handlers.
std::atomic<int> save_requests = 0;
std::atomic<int> interrupts = 0;
static_assert(std::atomic<int>::is_always_lock_free);

constexpr std::array<int, 5> kSignals = {SIGTERM, SIGUSR1, SIGINT, SIGXFSZ, SIGPIPE};
struct sigaction before[kSignals.size()];
bool guarded = false;

void OnSave(int) { save_requests.fetch_add(1); }

void OnInterrupt(int) {
  if (interrupts.fetch_add(1) == 0) return;
  // Delivered, and deadly, as soon as this handler returns.
  std::signal(SIGINT, SIG_DFL);
  std::raise(SIGINT);
}

void (*HandlerOf(int signal))(int) {
  switch (signal) {
    case SIGTERM:
    case SIGUSR1:
      return OnSave;
    case SIGINT:
      return OnInterrupt;
    default:
      return SIG_IGN;
  }
}

}  // namespace

SignalGuard::SignalGuard() {
  SSM_CHECK(!guarded, "one signal guard at a time");
  guarded = true;
  save_requests = 0;
  interrupts = 0;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action = {};
    action.sa_handler = HandlerOf(kSignals[i]);
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(kSignals[i], &action, &before[i]);
    // A shell starts background jobs with SIGINT ignored, and means it.
    const bool ignored = before[i].sa_handler == SIG_IGN;
    if (ignored && kSignals[i] == SIGINT) sigaction(SIGINT, &before[i], nullptr);
  }
}

SignalGuard::~SignalGuard() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
  guarded = false;
}

StopRequest SignalGuard::requested() const {
  if (interrupts.load() > 0) return StopRequest::kInterrupt;
  return save_requests.load() > 0 ? StopRequest::kSave : StopRequest::kNone;
}

void DieOfInterrupt() {
  std::signal(SIGINT, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, SIGINT);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  std::raise(SIGINT);
  std::abort();
}

}  // namespace ssm
