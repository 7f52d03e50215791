#include "ssm/autograd/clock.h"

#include <algorithm>
#include <string>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

/// Fills row b and lowers the flags it breaks.
void FillRow(Clock& clock, int64_t b, const int64_t* start, int64_t length) {
  int64_t position = clock.before[static_cast<size_t>(b)];
  int64_t* pos = clock.pos.data() + b * clock.T;
  for (int64_t t = 0; t < length; ++t) {
    if (start != nullptr && start[t] != 0) {
      if (position > 0) clock.continues = false;
      if (t > 0) clock.whole = false;
      position = 0;
    }
    pos[t] = position++;
  }
  std::fill(pos + length, pos + clock.T, -1);
  if (length < clock.T) clock.whole = clock.continues = false;
  if (length > 0 && pos[0] != 0) clock.fresh = false;
  if (length == 0 && position != 0) clock.fresh = false;
  clock.after[static_cast<size_t>(b)] = position;
  clock.last[static_cast<size_t>(b)] = length - 1;
}

}  // namespace

template <Scalar T>
Clock MakeClock(Tape<T>& tape, std::span<const int64_t> steps, int64_t n, const IntArray* start,
                const IntArray* lengths) {
  Clock clock;
  clock.B = static_cast<int64_t>(steps.size());
  clock.T = n;
  clock.before = tape.NewInts(clock.B);
  clock.after = tape.NewInts(clock.B);
  clock.last = tape.NewInts(clock.B);
  clock.pos = tape.NewInts(clock.B * n);
  clock.whole = clock.continues = clock.fresh = true;
  std::copy(steps.begin(), steps.end(), clock.before.begin());
  for (int64_t b = 0; b < clock.B; ++b) {
    const int64_t length = lengths != nullptr ? (*lengths)[b] : n;
    if (length < 0 || length > n) {
      Fail(ExitCode::kBadData, "row " + std::to_string(b) + ": length " + std::to_string(length) +
                                   " is outside 0.." + std::to_string(n));
    }
    FillRow(clock, b, start != nullptr ? start->data() + b * n : nullptr, length);
    clock.reach = std::max(clock.reach, clock.before[static_cast<size_t>(b)] + n);
  }
  return clock;
}

template Clock MakeClock(Tape<float>&, std::span<const int64_t>, int64_t, const IntArray*,
                         const IntArray*);
template Clock MakeClock(Tape<double>&, std::span<const int64_t>, int64_t, const IntArray*,
                         const IntArray*);

}  // namespace ssm
