// What cheap observers of relocate.tokens would answer, beside the one that follows containers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ssm/tasks/relocate_world.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// The place of each in what RelocateReferences lists.
enum class RelocateObserver {
  kTracker,    // follows every object and container: always right
  kLastSeen,   // the place where the object was last seen
  kLastNamed,  // the place named last, whatever it was about
  kWindow,     // right where all that the answer follows from lies in the last `window` steps;
               // else every place alike
  kChance,     // every place alike
};
constexpr int64_t kRelocateObservers = 5;

std::string RelocateObserverName(RelocateObserver observer, int64_t window);
/// Names and roles, in the order in which they are written.
std::vector<Reference> RelocateReferences(int64_t window);

/// Runs beside a world. The window is no exact bound on models that look back as far: such a model
/// may bet, say, that what it knows nothing of went along with the container carried last.
class RelocateObservers {
 public:
  explicit RelocateObservers(int64_t places) : places_(places) {}

  /// After the world has taken the event in.
  void See(const RelocateEvent& event) {
    if (event.place >= 0) named_ = event.place;
  }
  /// Logits [kRelocateObservers, places] of a question; zero beforehand. `oldest`: the first slot
  /// that lies wholly in the window.
  void Write(const RelocateWorld& world, const RelocateEvent& question, int64_t oldest,
             double* out) const;

 private:
  int64_t places_;
  int64_t named_ = 0;
};

}  // namespace ssm
