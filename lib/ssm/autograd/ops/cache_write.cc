#include "ssm/autograd/ops/cache_write.h"

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/kernels/rows.h"

namespace ssm {
namespace {

/// What the passes forward and back over a cache have in common.
struct CacheLayout {
  int64_t rows = 0, steps = 0, stride = 0;  // of x
  CacheColumns columns;
  int64_t old_entries = 0, entries = 0;
  Ints after, last;  // of the clock

  /// Calls visit(entry in the next cache, token in x), as offsets, for what the pass itself writes.
  template <class Visit>
  void ForEachToken(Visit visit) const {
    for (int64_t b = 0; b < rows; ++b) {
      const int64_t end = After(b), zero = StepZero(b);
      for (int64_t p = std::max(Oldest(b), zero); p < end; ++p) {
        visit(Entry(b, p, entries), (b * steps + p - zero) * stride + columns.first);
      }
    }
  }
  /// Calls visit(entry in the next cache, entry in the cache before) for what stays.
  template <class Visit>
  void ForEachKept(Visit visit) const {
    for (int64_t b = 0; b < rows; ++b) {
      for (int64_t p = Oldest(b); p < StepZero(b); ++p) {
        visit(Entry(b, p, entries), Entry(b, p, old_entries));
      }
    }
  }

 private:
  int64_t After(int64_t b) const { return after[static_cast<size_t>(b)]; }
  /// The position step 0 has in the sequence that row b ends with; negative where that began later.
  int64_t StepZero(int64_t b) const { return After(b) - 1 - last[static_cast<size_t>(b)]; }
  /// The oldest position that is alive after the pass.
  int64_t Oldest(int64_t b) const { return std::max<int64_t>(After(b) - entries, 0); }
  int64_t Entry(int64_t b, int64_t p, int64_t of) const {
    return (b * of + p % of) * columns.width;
  }
};

template <Scalar T>
CacheLayout LayoutOf(const Tape<T>& tape, Var<T> x, const CacheColumns& columns, Var<T> cache,
                     int64_t entries, const Clock& clock) {
  const Shape in = tape.shape(x);
  SSM_CHECK(
      in == Shape({clock.B, clock.T, in.Back(0)}) && columns.first + columns.width <= in.Back(0),
      "a cache is written from columns of [B, T, W]");
  SSM_CHECK(!cache || tape.shape(cache) == Shape({clock.B, tape.shape(cache)[1], columns.width}),
            "a cache is not [B, entries, width]");
  return {clock.B, clock.T,     in.Back(0), columns, cache ? tape.shape(cache)[1] : 0,
          entries, clock.after, clock.last};
}

template <Scalar T>
void CopyTokens(const CacheLayout& layout, const T* x, T* next) {
  layout.ForEachToken([=, width = layout.columns.width](int64_t entry, int64_t token) {
    std::copy_n(x + token, width, next + entry);
  });
}

template <Scalar T>
void CopyKept(const CacheLayout& layout, const T* cache, T* next) {
  layout.ForEachKept([=, width = layout.columns.width](int64_t entry, int64_t old) {
    std::copy_n(cache + old, width, next + entry);
  });
}

template <Scalar T>
void AddTokens(const CacheLayout& layout, const T* g_next, T* g_x) {
  layout.ForEachToken([=, width = layout.columns.width](int64_t entry, int64_t token) {
    kernels::Axpy(width, T{1}, g_next + entry, g_x + token);
  });
}

template <Scalar T>
void AddKept(const CacheLayout& layout, const T* g_next, T* g_cache) {
  layout.ForEachKept([=, width = layout.columns.width](int64_t entry, int64_t old) {
    kernels::Axpy(width, T{1}, g_next + entry, g_cache + old);
  });
}

template <Scalar T>
Var<T> AppendInPlace(Tape<T>& tape, Var<T> x, Var<T> cache, const CacheLayout& layout) {
  const Var<T> next = tape.Alias(cache);
  if (tape.Live()) CopyTokens(layout, tape.value(x), tape.out(next));
  tape.Record("cache_write", {x}, {next}, 0, [=](Tape<T>& t) {
    if (T* g_x = t.acc(x)) AddTokens(layout, t.grad(next), g_x);
  });
  return next;
}

}  // namespace

template <Scalar T>
Var<T> RingWrite(Tape<T>& tape, Var<T> x, const CacheColumns& columns, Var<T> cache,
                 int64_t entries, const Clock& clock) {
  const CacheLayout layout = LayoutOf(tape, x, columns, cache, entries, clock);
  const Var<T> next = tape.New({layout.rows, entries, columns.width});
  if (tape.Live()) {
    std::fill_n(tape.out(next), tape.shape(next).size(), T{0});
    CopyTokens(layout, tape.value(x), tape.out(next));
    if (cache) CopyKept(layout, tape.value(cache), tape.out(next));
  }
  tape.Record("cache_write", {x, cache}, {next}, 0, [=](Tape<T>& t) {
    if (T* g_x = t.acc(x)) AddTokens(layout, t.grad(next), g_x);
    if (T* g_cache = t.acc(cache)) AddKept(layout, t.grad(next), g_cache);
  });
  return next;
}

template <Scalar T>
Var<T> CacheAppend(Tape<T>& tape, Var<T> x, const CacheColumns& columns, Var<T> cache,
                   const Clock& clock) {
  const int64_t room = cache ? tape.shape(cache)[1] : 0;
  int64_t needed = 0;
  for (int64_t after : clock.after) needed = std::max(needed, after);
  if (cache && tape.appendable(cache) && clock.continues && needed <= room) {
    return AppendInPlace(tape, x, cache, LayoutOf(tape, x, columns, cache, room, clock));
  }
  return RingWrite(tape, x, columns, cache, std::max(needed, room), clock);
}

#define SSM_INSTANTIATE(T)                                                                         \
  template Var<T> RingWrite(Tape<T>&, Var<T>, const CacheColumns&, Var<T>, int64_t, const Clock&); \
  template Var<T> CacheAppend(Tape<T>&, Var<T>, const CacheColumns&, Var<T>, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
