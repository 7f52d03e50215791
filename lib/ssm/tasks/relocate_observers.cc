#include "ssm/tasks/relocate_observers.h"

#include <fmt/format.h>

namespace ssm {
namespace {

/// Logit of an answer given without doubt: the others together have less than 1e-9.
constexpr double kSure = 30;

}  // namespace

std::string RelocateObserverName(RelocateObserver observer, int64_t window) {
  switch (observer) {
    case RelocateObserver::kTracker:
      return "container tracker";
    case RelocateObserver::kLastSeen:
      return "last seen";
    case RelocateObserver::kLastNamed:
      return "last named place";
    case RelocateObserver::kWindow:
      return fmt::format("window {}", window);
    case RelocateObserver::kChance:
      return "chance";
  }
  return "";
}

std::vector<Reference> RelocateReferences(int64_t window) {
  std::vector<Reference> list;
  for (int64_t i = 0; i < kRelocateObservers; ++i) {
    const auto observer = static_cast<RelocateObserver>(i);
    const Role role = observer == RelocateObserver::kTracker  ? Role::kCeiling
                      : observer == RelocateObserver::kChance ? Role::kChance
                                                              : Role::kHeuristic;
    list.push_back({RelocateObserverName(observer, window), role});
  }
  return list;
}

void RelocateObservers::Write(const RelocateWorld& world, const RelocateEvent& question,
                              int64_t oldest, double* out) const {
  const auto answer = [&](RelocateObserver observer, int64_t place) {
    out[static_cast<int64_t>(observer) * places_ + place] = kSure;
  };
  const PlaceFact truth = world.Answer(question);
  answer(RelocateObserver::kTracker, truth.place);
  answer(RelocateObserver::kLastSeen, world.SeenPlace(question.object));
  answer(RelocateObserver::kLastNamed, named_);
  if (truth.since >= oldest) answer(RelocateObserver::kWindow, truth.place);
}

}  // namespace ssm
