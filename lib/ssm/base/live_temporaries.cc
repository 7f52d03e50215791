#include "ssm/base/live_temporaries.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <utility>

namespace ssm {
namespace {

enum Use : int { kFree, kFilling, kLive };

/// Paths stand in memory that is never released: a handler may read them at any moment.
struct Place {
  std::atomic<int> use = kFree;
  char path[PATH_MAX] = {};
};
static_assert(std::atomic<int>::is_always_lock_free);

std::array<Place, 16> places;

constexpr std::array<int, 3> kSignals = {SIGTERM, SIGINT, SIGHUP};
struct sigaction before[kSignals.size()];

extern "C" void RemoveAndDie(int signal) {
  RemoveLiveTemporaries();
  raise(signal);  // the default action, once this handler returns
}

}  // namespace

LiveTemporary::LiveTemporary(const std::string& path) {
  if (path.size() >= PATH_MAX) return;
  for (size_t i = 0; i < places.size(); ++i) {
    int use = kFree;
    if (!places[i].use.compare_exchange_strong(use, kFilling)) continue;
    path.copy(places[i].path, path.size());
    places[i].path[path.size()] = '\0';
    places[i].use = kLive;
    place_ = static_cast<int>(i);
    return;
  }
}

LiveTemporary::~LiveTemporary() {
  if (place_ >= 0) places[static_cast<size_t>(place_)].use = kFree;
}

LiveTemporary::LiveTemporary(LiveTemporary&& other) noexcept
    : place_(std::exchange(other.place_, -1)) {}

LiveTemporary& LiveTemporary::operator=(LiveTemporary&& other) noexcept {
  std::swap(place_, other.place_);
  return *this;
}

void RemoveLiveTemporaries() {
  const int error = errno;
  for (const Place& place : places) {
    if (place.use == kLive) ::unlink(place.path);
  }
  errno = error;
}

TemporariesGuard::TemporariesGuard() {
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_DFL) continue;
    struct sigaction action = {};
    action.sa_handler = RemoveAndDie;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(kSignals[i], &action, nullptr);
  }
}

TemporariesGuard::~TemporariesGuard() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
}

}  // namespace ssm
