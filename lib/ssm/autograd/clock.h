// Where every token of a batch stands in its own sequence.
#pragma once

#include <span>

#include "ssm/autograd/tape.h"

namespace ssm {

/// Made once per Forward, by the model, for all layers. Phase, ring slot, filled length, rotary
/// angle and visible keys all follow from `pos`; starts in mid-sequence, right padding and rows at
/// different phases need no special case. Ops capture the Ints, never the Clock.
struct Clock {
  int64_t B = 0, T = 0;
  Ints before, after;      // [B] steps in and out
  Ints pos;                // [B, T] 0 starts a sequence, -1 is padding
  Ints last;               // [B] index of the row's last real token, -1 if none
  bool whole = false;      // no start after t = 0, no padding: convolution routes allowed
  bool continues = false;  // no row starts over, no padding: in-place appends allowed
  bool fresh = false;      // every row starts at t = 0: the incoming state is not read
  int64_t reach = 0;       // max over rows of before + T
};

/// `steps` [B] tokens each row has consumed; `start` [B, n] and `lengths` [B] may be null.
/// @throws Error(kBadData) when a length is outside [0, n].
template <Scalar T>
Clock MakeClock(Tape<T>& tape, std::span<const int64_t> steps, int64_t n, const IntArray* start,
                const IntArray* lengths);

}  // namespace ssm
