// Objects, places and containers, and what becomes of them when something is shown to happen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ssm {

/// The order is that of token ids.
enum class RelocateOp {
  kIdle,
  kMove,         // object o goes to place l
  kPut,          // object o goes out of sight, into container k
  kTake,         // object o comes into sight again, where its container stands
  kCarry,        // container k goes to place l with all it holds
  kAskNow,       // where is object o?
  kAskFirst,     // where was it at first?
  kAskPrevious,  // where was it before it came to where it is? Its first place if it never moved
  kNoise,        // a word that means nothing
};

/// What one slot shows: of an event only what is told. -1: not told.
struct RelocateEvent {
  RelocateOp op = RelocateOp::kIdle;
  int64_t object = -1, container = -1;
  int64_t place = -1;  // of kMove and kCarry; of kTake only where it is announced
  int64_t word = -1;   // of kNoise
};

bool IsQuestion(RelocateOp op);

/// When the place that an object's own place follows from was named.
enum class BindOrder { kWithObject, kBeforePut, kAfterPut };

/// A place, and the oldest slot that must be remembered to know it.
struct PlaceFact {
  int64_t place = -1;
  int64_t since = -1;
};

/// The truth, which follows from the shown events alone: nothing else is ever put in. The first
/// kMove of an object and the first kCarry of a container say where they start. O(1) an event,
/// however much a container holds.
class RelocateWorld {
 public:
  RelocateWorld(int64_t objects, int64_t containers);

  /// Takes in what `slot` shows; slots grow. A question changes nothing.
  void Apply(const RelocateEvent& event, int64_t slot);

  PlaceFact Now(int64_t object) const;
  PlaceFact First(int64_t object) const { return At(object).first; }
  PlaceFact Previous(int64_t object) const;
  /// The answer to a question.
  PlaceFact Answer(const RelocateEvent& question) const;
  PlaceFact ContainerNow(int64_t container) const { return Holder(container).now; }

  bool Contained(int64_t object) const { return At(object).container >= 0; }
  /// How often its container was carried since the object was last seen.
  int64_t HiddenMoves(int64_t object) const;
  /// Where and when it was last seen, which is also where it was put in.
  int64_t SeenPlace(int64_t object) const { return At(object).seen.place; }
  int64_t SeenAt(int64_t object) const { return At(object).seen_at; }
  /// When it came to where it is, seen or hidden.
  int64_t MovedAt(int64_t object) const;
  BindOrder Bind(int64_t object) const;

 private:
  struct Object {
    PlaceFact first, previous, seen;
    int64_t container = -1;
    int64_t carries_before = 0;  // of the container, when the object was put in
    int64_t put_at = -1, seen_at = -1, moved_at = -1;
    BindOrder bind = BindOrder::kWithObject;
  };
  struct Container {
    PlaceFact now, previous;
    int64_t carries = 0, carried_at = -1;
  };

  const Object& At(int64_t object) const { return objects_[static_cast<size_t>(object)]; }
  const Container& Holder(int64_t container) const {
    return containers_[static_cast<size_t>(container)];
  }
  void Move(Object& object, int64_t place, int64_t slot);
  void Put(Object& object, int64_t container, int64_t slot);
  void Take(int64_t which, int64_t announced, int64_t slot);
  void Carry(Container& container, int64_t place, int64_t slot);

  std::vector<Object> objects_;
  std::vector<Container> containers_;
};

}  // namespace ssm
