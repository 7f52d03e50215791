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
  Ints after, last;
  bool first = false;  // the first entries are kept, not the newest

  /// Calls visit(entry in the next cache, token in x), as offsets, for what the pass itself writes.
  template <class Visit>
  void ForEachToken(Visit visit) const {
    for (int64_t b = 0; b < rows; ++b) {
      const int64_t zero = StepZero(b);
      for (int64_t p = std::max(Oldest(b), zero); p < End(b); ++p) {
        visit(Entry(b, p, entries), (b * steps + p - zero) * stride + columns.first);
      }
    }
  }
  /// Calls visit(entry in the next cache, entry in the cache before) for what stays.
  template <class Visit>
  void ForEachKept(Visit visit) const {
    for (int64_t b = 0; b < rows; ++b) {
      for (int64_t p = Oldest(b); p < std::min(StepZero(b), End(b)); ++p) {
        visit(Entry(b, p, entries), Entry(b, p, old_entries));
      }
    }
  }

 private:
  int64_t After(int64_t b) const { return after[static_cast<size_t>(b)]; }
  /// The position step 0 has in the sequence that row b ends with; negative where that began later.
  int64_t StepZero(int64_t b) const { return After(b) - 1 - last[static_cast<size_t>(b)]; }
  /// The positions that are alive after the pass.
  int64_t Oldest(int64_t b) const { return first ? 0 : std::max<int64_t>(After(b) - entries, 0); }
  int64_t End(int64_t b) const { return first ? std::min(After(b), entries) : After(b); }
  int64_t Entry(int64_t b, int64_t p, int64_t of) const {
    return (b * of + p % of) * columns.width;
  }
};

template <Scalar T>
CacheLayout LayoutOf(const Tape<T>& tape, Var<T> x, const CacheColumns& columns, Var<T> cache,
                     int64_t entries, const CacheTimes& times) {
  const Shape in = tape.shape(x);
  const int64_t rows = std::ssize(times.after);
  SSM_CHECK(in.rank() == 3 && in[0] == rows && columns.first + columns.width <= in[2],
            "a cache is written from columns of [B, T, W]");
  SSM_CHECK(!cache || tape.shape(cache) == Shape({rows, tape.shape(cache)[1], columns.width}),
            "a cache is not [B, entries, width]");
  const int64_t old_entries = cache ? tape.shape(cache)[1] : 0;
  return {.rows = rows,
          .steps = in[1],
          .stride = in[2],
          .columns = columns,
          .old_entries = old_entries,
          .entries = entries,
          .after = times.after,
          .last = times.last};
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

template <Scalar T>
Var<T> Write(Tape<T>& tape, Var<T> x, Var<T> cache, const CacheLayout& layout) {
  const Var<T> next = tape.New({layout.rows, layout.entries, layout.columns.width});
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

}  // namespace

template <Scalar T>
Var<T> RingWrite(Tape<T>& tape, Var<T> x, const CacheColumns& columns, Var<T> cache,
                 int64_t entries, const CacheTimes& times) {
  return Write(tape, x, cache, LayoutOf(tape, x, columns, cache, entries, times));
}

template <Scalar T>
Var<T> FirstWrite(Tape<T>& tape, Var<T> x, const CacheColumns& columns, Var<T> cache,
                  int64_t entries, const CacheTimes& times) {
  CacheLayout layout = LayoutOf(tape, x, columns, cache, entries, times);
  layout.first = true;
  return Write(tape, x, cache, layout);
}

template <Scalar T>
Var<T> CacheAppend(Tape<T>& tape, Var<T> x, const CacheColumns& columns, Var<T> cache,
                   const CacheTimes& times) {
  const int64_t room = cache ? tape.shape(cache)[1] : 0;
  int64_t needed = 0;
  for (int64_t after : times.after) needed = std::max(needed, after);
  if (cache && tape.appendable(cache) && times.continues && needed <= room) {
    return AppendInPlace(tape, x, cache, LayoutOf(tape, x, columns, cache, room, times));
  }
  return RingWrite(tape, x, columns, cache, std::max(needed, room), times);
}

#define SSM_INSTANTIATE(T)                                                           \
  template Var<T> RingWrite(Tape<T>&, Var<T>, const CacheColumns&, Var<T>, int64_t,  \
                            const CacheTimes&);                                      \
  template Var<T> FirstWrite(Tape<T>&, Var<T>, const CacheColumns&, Var<T>, int64_t, \
                             const CacheTimes&);                                     \
  template Var<T> CacheAppend(Tape<T>&, Var<T>, const CacheColumns&, Var<T>, const CacheTimes&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
