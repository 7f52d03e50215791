// relocate.tokens read back from its tokens alone, by means of its own: the places of everything
// are kept for every slot.
#pragma once

#include <optional>
#include <vector>

#include "ssm/tasks/batch.h"
#include "ssm/tasks/relocate_tokens.h"

namespace ssm::test {

/// One slot's tokens, taken apart. -1: absent.
struct ReadSlot {
  int64_t op = 0;  // as packed; a noise word is 8
  int64_t object = -1, container = -1, place = -1;
  bool asks() const { return op >= 5 && op <= 7; }
};

inline ReadSlot ReadPacked(const int64_t* ids) {
  return {ids[0] < 8 ? ids[0] : 8, ids[1] - 1, ids[2] - 1, ids[3] - 1};
}

inline ReadSlot ReadPhrase(const int64_t* ids, const RelocateTokens& task) {
  ReadSlot slot{.op = ids[0] - 1};
  for (int i = 1; i < 3; ++i) {
    int64_t id = ids[i] - 10;
    if (id < 0) continue;
    if (id < task.objects) {
      slot.object = id;
    } else if ((id -= task.objects) < task.containers) {
      slot.container = id;
    } else if ((id -= task.containers) < task.places) {
      slot.place = id;
    }
  }
  return slot;
}

/// The slots of one row; a last part of a slot is left out.
inline std::vector<ReadSlot> ReadSlots(const RelocateTokens& task, const TaskPiece& piece) {
  std::vector<ReadSlot> slots;
  const bool packed = task.encoding == RelocateEncoding::kPacked;
  const int64_t per_slot = packed ? 1 : 3;
  for (int64_t t = 0; t + per_slot <= piece.steps; t += per_slot) {
    const int64_t* ids = piece.tokens.data() + t * (packed ? 4 : 1);
    slots.push_back(packed ? ReadPacked(ids) : ReadPhrase(ids, task));
  }
  return slots;
}

/// What can be concluded from slots [first, last] and nothing else: empty where nothing can.
class Replay {
 public:
  using Place = std::optional<int64_t>;

  explicit Replay(const RelocateTokens& task)
      : now_(Size(task.objects)),
        before_(Size(task.objects)),
        start_(Size(task.objects)),
        in_(Size(task.objects), -1),
        stands_(Size(task.containers)),
        setup_(task.objects + task.containers) {}

  void See(const ReadSlot& slot, int64_t index) {
    if (slot.op == 4) return Carry(Size(slot.container), slot.place);
    if (slot.op < 1 || slot.op > 3) return;
    const size_t o = Size(slot.object);
    if (slot.op == 1) {
      if (index < setup_) start_[o] = now_[o] = slot.place;
      Arrive(o, slot.place);
      if (index < setup_) before_[o] = slot.place;
      in_[o] = -1;
    } else if (slot.op == 2) {
      in_[o] = slot.container;
      Arrive(o, stands_[Size(slot.container)]);
    } else {
      if (slot.place >= 0 && in_[o] >= 0) {
        stands_[Size(in_[o])] = slot.place;
        for (size_t other = 0; other < in_.size(); ++other) {
          if (in_[other] == in_[o]) now_[other] = slot.place;
        }
      }
      if (in_[o] < 0) now_[o] = before_[o] = std::nullopt;  // it may have come from anywhere
      if (slot.place >= 0) now_[o] = slot.place;
      in_[o] = -1;
    }
  }

  Place Answer(const ReadSlot& question) const {
    const size_t o = Size(question.object);
    return question.op == 5 ? now_[o] : question.op == 6 ? start_[o] : before_[o];
  }

 private:
  static size_t Size(int64_t n) { return static_cast<size_t>(n); }

  void Arrive(size_t o, Place place) {
    if (!now_[o] || !place) {
      before_[o] = std::nullopt;  // it may have been there already
    } else if (now_[o] != place) {
      before_[o] = now_[o];
    }
    now_[o] = place;
  }

  void Carry(size_t k, int64_t place) {
    for (size_t o = 0; o < in_.size(); ++o) {
      if (in_[o] != static_cast<int64_t>(k)) continue;
      before_[o] = stands_[k];
      now_[o] = place;
    }
    stands_[k] = place;
  }

  std::vector<Place> now_, before_, start_;
  std::vector<int64_t> in_;
  std::vector<Place> stands_;
  int64_t setup_;
};

}  // namespace ssm::test
