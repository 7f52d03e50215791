#include "ssm/tasks/relocate_world.h"

#include <algorithm>

#include "ssm/base/errors.h"

namespace ssm {

bool IsQuestion(RelocateOp op) {
  return op == RelocateOp::kAskNow || op == RelocateOp::kAskFirst || op == RelocateOp::kAskPrevious;
}

RelocateWorld::RelocateWorld(int64_t objects, int64_t containers)
    : objects_(static_cast<size_t>(objects)), containers_(static_cast<size_t>(containers)) {}

void RelocateWorld::Apply(const RelocateEvent& event, int64_t slot) {
  switch (event.op) {
    case RelocateOp::kMove:
      return Move(objects_.at(static_cast<size_t>(event.object)), event.place, slot);
    case RelocateOp::kPut:
      return Put(objects_.at(static_cast<size_t>(event.object)), event.container, slot);
    case RelocateOp::kTake:
      return Take(event.object, event.place, slot);
    case RelocateOp::kCarry:
      return Carry(containers_.at(static_cast<size_t>(event.container)), event.place, slot);
    case RelocateOp::kIdle:
    case RelocateOp::kNoise:
    case RelocateOp::kAskNow:
    case RelocateOp::kAskFirst:
    case RelocateOp::kAskPrevious:
      return;
  }
}

void RelocateWorld::Move(Object& object, int64_t place, int64_t slot) {
  SSM_CHECK(object.container < 0, "what is in a container cannot be moved by itself");
  const PlaceFact there{place, slot};
  if (object.seen.place < 0) object.first = there;
  object.previous = object.seen.place < 0 ? there : object.seen;
  object.seen = there;
  object.seen_at = object.moved_at = slot;
  object.bind = BindOrder::kWithObject;
}

void RelocateWorld::Put(Object& object, int64_t container, int64_t slot) {
  SSM_CHECK(object.container < 0, "what is in a container cannot be put into another");
  const Container& holder = containers_.at(static_cast<size_t>(container));
  const PlaceFact there = holder.now;
  // Whether this was a move at all is known only with both places.
  const int64_t both = std::min(object.seen.since, there.since);
  if (there.place != object.seen.place) {
    object.previous = {object.seen.place, both};
    object.moved_at = slot;
  } else {
    object.previous.since = std::min(object.previous.since, both);
  }
  object.seen = there;
  object.seen_at = object.put_at = slot;
  object.container = container;
  object.carries_before = holder.carries;
}

void RelocateWorld::Take(int64_t which, int64_t announced, int64_t slot) {
  Object& object = objects_.at(static_cast<size_t>(which));
  SSM_CHECK(object.container >= 0, "only what is in a container can be taken out");
  const PlaceFact there = Now(which);
  SSM_CHECK(announced < 0 || announced == there.place, "announced where it is not");
  object.previous = Previous(which);
  object.moved_at = MovedAt(which);
  object.bind = announced >= 0 ? BindOrder::kWithObject : Bind(which);
  object.seen = announced >= 0 ? PlaceFact{announced, slot} : there;
  object.seen_at = slot;
  if (announced >= 0) {
    // Whoever knows what it was in has been told where that stands.
    PlaceFact& holder = containers_[static_cast<size_t>(object.container)].now;
    holder.since = std::max(holder.since, object.put_at);
  }
  object.container = -1;
}

void RelocateWorld::Carry(Container& container, int64_t place, int64_t slot) {
  const PlaceFact there{place, slot};
  container.previous = container.now.place < 0 ? there : container.now;
  container.now = there;
  container.carried_at = slot;
  ++container.carries;
}

PlaceFact RelocateWorld::Now(int64_t object) const {
  const Object& o = At(object);
  if (o.container < 0) return o.seen;
  const PlaceFact& there = Holder(o.container).now;
  return {there.place, std::min(o.put_at, there.since)};
}

PlaceFact RelocateWorld::Previous(int64_t object) const {
  const Object& o = At(object);
  if (HiddenMoves(object) == 0) return o.previous;
  const PlaceFact& there = Holder(o.container).previous;
  return {there.place, std::min(o.put_at, there.since)};
}

PlaceFact RelocateWorld::Answer(const RelocateEvent& question) const {
  SSM_CHECK(IsQuestion(question.op), "only questions have answers");
  if (question.op == RelocateOp::kAskFirst) return First(question.object);
  if (question.op == RelocateOp::kAskPrevious) return Previous(question.object);
  return Now(question.object);
}

int64_t RelocateWorld::HiddenMoves(int64_t object) const {
  const Object& o = At(object);
  return o.container < 0 ? 0 : Holder(o.container).carries - o.carries_before;
}

int64_t RelocateWorld::MovedAt(int64_t object) const {
  const Object& o = At(object);
  return HiddenMoves(object) == 0 ? o.moved_at : Holder(o.container).carried_at;
}

BindOrder RelocateWorld::Bind(int64_t object) const {
  const Object& o = At(object);
  if (o.container < 0) return o.bind;
  return HiddenMoves(object) == 0 ? BindOrder::kBeforePut : BindOrder::kAfterPut;
}

}  // namespace ssm
