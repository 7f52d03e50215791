#include "ssm/tasks/relocate_world.h"

#include <doctest/doctest.h>

namespace {

using namespace ssm;  // NOLINT

RelocateEvent Move(int64_t o, int64_t l) {
  return {.op = RelocateOp::kMove, .object = o, .place = l};
}
RelocateEvent Put(int64_t o, int64_t k) {
  return {.op = RelocateOp::kPut, .object = o, .container = k};
}
RelocateEvent Take(int64_t o, int64_t announced = -1) {
  return {.op = RelocateOp::kTake, .object = o, .place = announced};
}
RelocateEvent Carry(int64_t k, int64_t l) {
  return {.op = RelocateOp::kCarry, .container = k, .place = l};
}

/// Objects 0 at place 3 and 1 at place 4, container 0 at place 5 and 1 at place 6: slots 0 to 3.
struct Room {
  RelocateWorld world{2, 2};
  int64_t slot = 0;

  Room() {
    for (const RelocateEvent& e : {Move(0, 3), Move(1, 4), Carry(0, 5), Carry(1, 6)}) Do(e);
  }
  void Do(const RelocateEvent& event) { world.Apply(event, slot++); }
};

void CheckFact(PlaceFact fact, int64_t place, int64_t since) {
  CHECK(fact.place == place);
  CHECK(fact.since == since);
}

TEST_CASE("things start where they are first shown") {
  const Room room;
  CheckFact(room.world.Now(0), 3, 0);
  CheckFact(room.world.First(0), 3, 0);
  CheckFact(room.world.Previous(0), 3, 0);
  CheckFact(room.world.ContainerNow(1), 6, 3);
  CHECK_FALSE(room.world.Contained(0));
  CHECK(room.world.HiddenMoves(0) == 0);
  CHECK(room.world.SeenAt(1) == 1);
  CHECK(room.world.MovedAt(1) == 1);
  CHECK(room.world.Bind(0) == BindOrder::kWithObject);
}

TEST_CASE("a move is seen, and the place before it becomes the previous one") {
  Room room;
  room.Do(Move(0, 7));
  CheckFact(room.world.Now(0), 7, 4);
  CheckFact(room.world.Previous(0), 3, 0);
  CheckFact(room.world.First(0), 3, 0);
  CHECK(room.world.SeenPlace(0) == 7);
  CHECK(room.world.SeenAt(0) == 4);
  CHECK(room.world.MovedAt(0) == 4);
  CheckFact(room.world.Now(1), 4, 1);
}

TEST_CASE("what is put in goes to the container's place, which was named before") {
  Room room;
  room.Do(Put(0, 1));
  CHECK(room.world.Contained(0));
  CheckFact(room.world.Now(0), 6, 3);
  CheckFact(room.world.Previous(0), 3, 0);
  CHECK(room.world.SeenPlace(0) == 6);
  CHECK(room.world.SeenAt(0) == 4);
  CHECK(room.world.MovedAt(0) == 4);
  CHECK(room.world.HiddenMoves(0) == 0);
  CHECK(room.world.Bind(0) == BindOrder::kBeforePut);
}

TEST_CASE("put in where it already was: seen, but not moved") {
  Room room;
  room.Do(Move(0, 6));
  room.Do(Put(0, 1));
  CheckFact(room.world.Now(0), 6, 3);
  CHECK(room.world.SeenAt(0) == 5);
  CHECK(room.world.MovedAt(0) == 4);
  // That it did not move is known only to who knows both places, and the one before.
  CheckFact(room.world.Previous(0), 3, 0);
}

TEST_CASE("a carried container takes its content along, and no other") {
  Room room;
  room.Do(Put(0, 1));
  room.Do(Put(1, 0));
  room.Do(Carry(1, 2));
  CheckFact(room.world.Now(0), 2, 4);  // the put is the oldest thing to remember
  CheckFact(room.world.Previous(0), 6, 3);
  CHECK(room.world.SeenPlace(0) == 6);
  CHECK(room.world.HiddenMoves(0) == 1);
  CHECK(room.world.MovedAt(0) == 6);
  CHECK(room.world.SeenAt(0) == 4);
  CHECK(room.world.Bind(0) == BindOrder::kAfterPut);
  CheckFact(room.world.Now(1), 5, 2);
  CHECK(room.world.HiddenMoves(1) == 0);
  CHECK(room.world.Bind(1) == BindOrder::kBeforePut);
  room.Do(Carry(1, 0));
  CheckFact(room.world.Now(0), 0, 4);
  CheckFact(room.world.Previous(0), 2, 4);
  CHECK(room.world.HiddenMoves(0) == 2);
}

TEST_CASE("carries before the put are not the object's") {
  Room room;
  room.Do(Carry(1, 2));
  room.Do(Carry(1, 3));
  room.Do(Put(1, 1));
  CHECK(room.world.HiddenMoves(1) == 0);
  CheckFact(room.world.Now(1), 3, 5);
  CheckFact(room.world.Previous(1), 4, 1);
}

TEST_CASE("taken out in silence: seen again where the container stands") {
  Room room;
  room.Do(Put(0, 1));
  room.Do(Carry(1, 2));
  room.Do(Take(0));
  CHECK_FALSE(room.world.Contained(0));
  CheckFact(room.world.Now(0), 2, 4);
  CheckFact(room.world.Previous(0), 6, 3);
  CHECK(room.world.HiddenMoves(0) == 0);
  CHECK(room.world.SeenPlace(0) == 2);
  CHECK(room.world.SeenAt(0) == 6);
  CHECK(room.world.MovedAt(0) == 5);
  CHECK(room.world.Bind(0) == BindOrder::kAfterPut);
  // The container goes on without it.
  room.Do(Carry(1, 7));
  CheckFact(room.world.Now(0), 2, 4);
  room.Do(Move(0, 1));
  CHECK(room.world.Bind(0) == BindOrder::kWithObject);
  CheckFact(room.world.Previous(0), 2, 4);
}

TEST_CASE("taken out at once: its place was named before the put") {
  Room room;
  room.Do(Put(0, 1));
  room.Do(Take(0));
  CheckFact(room.world.Now(0), 6, 3);
  CHECK(room.world.Bind(0) == BindOrder::kBeforePut);
}

TEST_CASE("taken out with the place named: nothing older is needed, for the container either") {
  Room room;
  room.Do(Put(0, 1));
  room.Do(Put(1, 1));
  room.Do(Take(0, 6));
  CheckFact(room.world.Now(0), 6, 6);
  CHECK(room.world.Bind(0) == BindOrder::kWithObject);
  // Object 0 was put in at slot 4: that and the take say where container 1 is.
  CheckFact(room.world.ContainerNow(1), 6, 4);
  CheckFact(room.world.Now(1), 6, 4);
}

TEST_CASE("questions and noise change nothing") {
  Room room;
  room.Do(Put(0, 1));
  room.Do(Carry(1, 2));
  for (const RelocateOp op : {RelocateOp::kAskNow, RelocateOp::kAskFirst, RelocateOp::kAskPrevious,
                              RelocateOp::kIdle, RelocateOp::kNoise}) {
    room.Do({.op = op, .object = 0});
  }
  CheckFact(room.world.Answer({.op = RelocateOp::kAskNow, .object = 0}), 2, 4);
  CheckFact(room.world.Answer({.op = RelocateOp::kAskFirst, .object = 0}), 3, 0);
  CheckFact(room.world.Answer({.op = RelocateOp::kAskPrevious, .object = 0}), 6, 3);
  CHECK(room.world.HiddenMoves(0) == 1);
}

}  // namespace
