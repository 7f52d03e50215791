// The states between the chunks of a sequence, kept while it is walked back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ssm/mixers/state.h"

namespace ssm {

/// Copies every slot but growing ones: an entry of those is written once, so a state in the middle
/// is a prefix of the last. Where a row starts over that does not hold, and all are copied.
template <Scalar T>
class BoundaryStates {
 public:
  /// Forgets what was kept, but not its memory, and makes room for `count` states like `first`.
  void Clear(const State<T>& first, int64_t count, bool rows_start_over);
  void Keep(const State<T>& state);
  /// The i-th state kept; growing slots are cut from `last`, the newest state.
  void Restore(size_t i, const State<T>& last, State<T>& into) const;
  int64_t bytes() const;

 private:
  bool Copies(const Slot<T>& slot) const {
    return rows_start_over_ || slot.spec.kind != SlotKind::kGrowing;
  }

  /// One slot of all states, one after the other: chunks may be as many as tokens.
  struct Kept {
    std::vector<T> values;
    std::vector<size_t> ends;  // of each state; empty where a slot is not copied
  };
  bool rows_start_over_ = false;
  size_t rows_ = 0;
  std::vector<Kept> kept_;
  std::vector<int64_t> steps_;  // [count, rows]
};

}  // namespace ssm
