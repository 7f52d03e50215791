// The events of one sequence of relocate.tokens, drawn one after the other.
#pragma once

#include "ssm/base/random.h"
#include "ssm/tasks/relocate_law.h"
#include "ssm/tasks/relocate_world.h"

namespace ssm {

/// O(1) an event and no allocation; a balanced question looks at every object.
class RelocateScript {
 public:
  RelocateScript(const RelocateLaw& law, Random random);

  /// What the next slot shows. The world has taken it in.
  RelocateEvent Next();
  /// Slots drawn so far.
  int64_t slot() const { return slot_; }
  const RelocateWorld& world() const { return world_; }

 private:
  RelocateEvent Setup();
  RelocateEvent Draw();
  RelocateEvent DrawMove();
  RelocateEvent DrawPut();
  RelocateEvent DrawTake();
  RelocateEvent DrawCarry();
  RelocateEvent DrawQuestion();
  int64_t AskedObject();
  int64_t PlaceOtherThan(int64_t place);

  RelocateLaw law_;
  Random random_;
  RelocateWorld world_;
  int64_t slot_ = 0;
};

}  // namespace ssm
