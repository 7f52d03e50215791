#include "ssm/autograd/ops/topk_attention.h"

#include <algorithm>

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/rows.h"
#include "ssm/kernels/topk_attention.h"

namespace ssm {
namespace {

/// Origins of what is kept: a token of the pass, or -1 - entry of what was kept before it, or
/// -1 - kept - entry of the ring before it.
struct TopkPass {
  kernels::TopkShape shape;
  int64_t rows = 0, steps = 0;
  Ints pos, before;
  Ints choices;  // [B, T]
  Ints seen;     // [B, T, kept] origins of what each token saw kept
  Ints left;     // [B, kept] and of what is kept after the pass

  int64_t width() const { return shape.width(); }
  int64_t ring() const { return shape.window - 1; }
  int64_t FromKept(int64_t entry) const { return -1 - entry; }
  int64_t FromRing(int64_t entry) const { return -1 - shape.kept - entry; }
  /// Of position q of the sequence that token `step` of row b, at `position`, stands in.
  int64_t OriginOf(int64_t step, int64_t position, int64_t q) const {
    const int64_t token = step - (position - q);
    return token >= 0 ? token : FromRing(q % ring());
  }
  /// Step of row b's last token; -1: none.
  int64_t Last(int64_t b) const {
    int64_t step = steps - 1;
    while (step >= 0 && pos[static_cast<size_t>(b * steps + step)] < 0) --step;
    return step;
  }
};

template <class T>
struct TopkArrays {
  T *qkv = nullptr, *k = nullptr, *v = nullptr, *kept_k = nullptr, *kept_v = nullptr;
};

/// Where the key (part 1) or value (2) of an origin lies; null where its array is.
template <class T>
T* At(const TopkPass& pass, const TopkArrays<T>& arrays, int64_t b, int64_t origin, int64_t part) {
  const int64_t width = pass.width();
  if (origin >= 0) {
    return arrays.qkv == nullptr ? nullptr
                                 : arrays.qkv + ((b * pass.steps + origin) * 3 + part) * width;
  }
  const int64_t entry = -1 - origin;
  const bool kept = entry < pass.shape.kept;
  T* array = kept ? (part == 1 ? arrays.kept_k : arrays.kept_v) : (part == 1 ? arrays.k : arrays.v);
  if (array == nullptr) return nullptr;
  return array +
         (kept ? b * pass.shape.kept + entry : b * pass.ring() + entry - pass.shape.kept) * width;
}

template <Scalar T>
kernels::TopkMemory<T> MemoryOf(Tape<T>& tape, const TopkPass& pass, const TopkState<T>& state,
                                int64_t b) {
  const int64_t ring = b * pass.ring(), kept = b * pass.shape.kept, width = pass.width();
  return {tape.out(state.k) + ring * width,      tape.out(state.v) + ring * width,
          tape.out(state.mass) + ring,           tape.out(state.kept_k) + kept * width,
          tape.out(state.kept_v) + kept * width, tape.out(state.kept_mass) + kept,
          tape.out(state.kept_position) + kept};
}

/// The slots as the pass finds them.
template <Scalar T>
void CopyState(Tape<T>& tape, const TopkState<T>& from, const TopkState<T>& to) {
  const Var<T> sources[] = {from.k,      from.v,         from.mass,         from.kept_k,
                            from.kept_v, from.kept_mass, from.kept_position};
  const Var<T> targets[] = {to.k,      to.v,         to.mass,         to.kept_k,
                            to.kept_v, to.kept_mass, to.kept_position};
  for (size_t i = 0; i < std::size(targets); ++i) {
    const int64_t size = tape.shape(targets[i]).size();
    if (sources[i]) {
      std::copy_n(tape.value(sources[i]), size, tape.out(targets[i]));
    } else {
      std::fill_n(tape.out(targets[i]), size, T{0});
    }
  }
}

template <Scalar T>
void ClearRow(const TopkPass& pass, const kernels::TopkMemory<T>& memory) {
  const int64_t ring = pass.ring(), kept = pass.shape.kept, width = pass.width();
  for (T* array : {memory.k, memory.v}) std::fill_n(array, ring * width, T{0});
  for (T* array : {memory.kept_k, memory.kept_v}) std::fill_n(array, kept * width, T{0});
  std::fill_n(memory.mass, ring, T{0});
  for (T* array : {memory.kept_mass, memory.kept_position}) std::fill_n(array, kept, T{0});
}

/// Runs row b through its memory; choices that are not free are obeyed.
template <Scalar T>
void RunRow(const TopkPass& pass, int64_t b, kernels::DistanceBias<T> bias, const T* qkv,
            const kernels::TopkMemory<T>& memory, T* y,
            const kernels::TopkStatistics<T>& statistics, T* scratch) {
  const int64_t kept = pass.shape.kept, width = pass.width();
  const Ints origins = pass.left.subspan(static_cast<size_t>(b * kept), static_cast<size_t>(kept));
  for (int64_t i = 0; i < kept; ++i) origins[static_cast<size_t>(i)] = pass.FromKept(i);
  if (pass.before[static_cast<size_t>(b)] == 0) ClearRow(pass, memory);
  for (int64_t step = 0; step < pass.steps; ++step) {
    const int64_t token = b * pass.steps + step;
    const int64_t position = pass.pos[static_cast<size_t>(token)];
    if (position < 0) {
      std::fill_n(y + token * width, width, T{0});
      continue;
    }
    if (position == 0) ClearRow(pass, memory);
    std::copy(origins.begin(), origins.end(), pass.seen.begin() + token * kept);
    int64_t& choice = pass.choices[static_cast<size_t>(token)];
    const int64_t in_statistics = b * pass.shape.heads * pass.steps + step;
    choice = kernels::TopkToken<T>(
        pass.shape, {position, qkv + token * 3 * width, bias, choice}, memory, y + token * width,
        {statistics.largest + in_statistics, statistics.sum + in_statistics, pass.steps}, scratch);
    if (choice >= 0) {
      origins[static_cast<size_t>(choice)] = pass.OriginOf(step, position, position - pass.ring());
    }
  }
}

/// Calls visit(key) for what token `step` of row b saw.
template <class T, class Visit>
void ForEachKey(const TopkPass& pass, int64_t b, int64_t step, const TopkArrays<const T>& values,
                const T* kept_position, const TopkArrays<T>& gradients, const Visit& visit) {
  const int64_t token = b * pass.steps + step, before = pass.before[static_cast<size_t>(b)];
  const int64_t position = pass.pos[static_cast<size_t>(token)];
  const auto add = [&](int64_t origin, int64_t distance) {
    visit(kernels::TopkKey<T>{At(pass, values, b, origin, 1), At(pass, values, b, origin, 2),
                              At(pass, gradients, b, origin, 1), At(pass, gradients, b, origin, 2),
                              distance});
  };
  for (int64_t i = 0; i < pass.shape.KeptAfter(position); ++i) {
    const int64_t origin = pass.seen[static_cast<size_t>(token * pass.shape.kept + i)];
    int64_t at = 0;
    if (origin >= 0) {
      at = pass.pos[static_cast<size_t>(b * pass.steps + origin)];
    } else if (-1 - origin < pass.shape.kept) {
      at = static_cast<int64_t>(kept_position[b * pass.shape.kept - 1 - origin]);
    } else {
      const int64_t entry = -1 - origin - pass.shape.kept;
      at = before - 1 - (before - 1 - entry) % pass.ring();
    }
    add(origin, position - at);
  }
  for (int64_t back = std::min(position, pass.ring()); back >= 0; --back) {
    add(back == 0 ? step : pass.OriginOf(step, position, position - back), back);
  }
}

/// What the next slots received goes to where their entries came from.
template <class T>
void AddNextGradients(const TopkPass& pass, const TopkArrays<const T>& g_next,
                      const TopkArrays<T>& gradients) {
  for (int64_t b = 0; b < pass.rows; ++b) {
    const int64_t last = pass.Last(b);
    const int64_t end = last < 0 ? pass.before[static_cast<size_t>(b)]
                                 : pass.pos[static_cast<size_t>(b * pass.steps + last)] + 1;
    const auto add = [&](int64_t entry, int64_t origin) {
      for (const int64_t part : {1, 2}) {
        const T* from = At(pass, g_next, b, entry, part);
        T* to = At(pass, gradients, b, origin, part);
        if (from != nullptr && to != nullptr) kernels::Axpy(pass.width(), T{1}, from, to);
      }
    };
    for (int64_t q = std::max<int64_t>(end - pass.ring(), 0); q < end; ++q) {
      add(pass.FromRing(q % pass.ring()), pass.OriginOf(last, end - 1, q));
    }
    for (int64_t i = 0; i < pass.shape.KeptAfter(end); ++i) {
      add(pass.FromKept(i), pass.left[static_cast<size_t>(b * pass.shape.kept + i)]);
    }
  }
}

double Pairs(const TopkPass& pass) {
  double pairs = 0;
  for (const int64_t position : pass.pos) {
    if (position >= 0) pairs += static_cast<double>(pass.shape.Seen(position));
  }
  return pairs;
}

}  // namespace

template <Scalar T>
TopkOutputs<T> TopkAttention(Tape<T>& tape, Var<T> qkv, const TopkState<T>& before, int64_t kept,
                             const AttentionView<T>& view, const Clock& clock) {
  const int64_t width = tape.shape(qkv).Back(0) / 3;
  SSM_CHECK(tape.shape(qkv) == Shape({clock.B, clock.T, 3 * width}) && width % view.heads == 0,
            "attention reads [B, T, 3 D] of its clock's B and T, D a multiple of the heads");
  TopkPass pass;
  pass.shape = {view.heads, width / view.heads, view.window, kept};
  pass.rows = clock.B;
  pass.steps = clock.T;
  pass.pos = clock.pos;
  pass.before = clock.before;
  pass.choices = tape.NewInts(clock.B * clock.T);
  pass.seen = tape.NewInts(clock.B * clock.T * kept);
  pass.left = tape.NewInts(clock.B * kept);
  const int64_t ring = pass.ring();
  TopkOutputs<T> out;
  out.y = tape.New({clock.B, clock.T, width});
  out.next = {tape.New({clock.B, ring, width}), tape.New({clock.B, ring, width}),
              tape.New({clock.B, ring, 1}),     tape.New({clock.B, kept, width}),
              tape.New({clock.B, kept, width}), tape.New({clock.B, kept, 1}),
              tape.New({clock.B, kept, 1})};
  const int64_t rows = clock.B * clock.T * view.heads;
  const kernels::TopkStatistics<T> statistics{tape.Floats(rows), tape.Floats(rows), clock.T};
  const T* slopes = AlibiSlopes(tape, view);
  const Var<T> table = view.bias.table;
  const int64_t distances = table ? tape.shape(table)[1] : 0;
  T* scratch = tape.Floats(pass.shape.Scratch());
  const auto bias = [=](const Tape<T>& t) {
    return kernels::DistanceBias<T>{slopes, internal::ValueOrNull(t, table), distances};
  };
  const auto run = [&] {
    CopyState(tape, before, out.next);
    for (int64_t b = 0; b < clock.B; ++b) {
      RunRow<T>(pass, b, bias(tape), tape.value(qkv), MemoryOf(tape, pass, out.next, b),
                tape.out(out.y), statistics, scratch);
    }
  };
  std::ranges::fill(pass.choices, kernels::kTopkFree);
  if (tape.Live()) run();
  const Ints chosen = tape.NewInts(std::ssize(pass.choices));
  std::ranges::copy(pass.choices, chosen.begin());
  tape.StopChoices(pass.choices);
  if (tape.Live() && !std::ranges::equal(pass.choices, chosen)) run();

  for (Var<T>* held : {&out.next.mass, &out.next.kept_mass, &out.next.kept_position}) {
    *held = tape.Stop(*held);
  }
  const double each = 4 * static_cast<double>(width) +
                      static_cast<double>(view.heads) * (view.bias.alibi || table ? 2 : 1);
  const TopkState<T> next = out.next;
  const Var<T> y = out.y;
  tape.Record(
      "topk_attention", {qkv, before.k, before.v, before.kept_k, before.kept_v, table},
      {y, next.k, next.v, next.kept_k, next.kept_v}, each * Pairs(pass), [=](Tape<T>& t) {
        const TopkArrays<const T> values{
            t.value(qkv), internal::ValueOrNull(t, before.k), internal::ValueOrNull(t, before.v),
            internal::ValueOrNull(t, before.kept_k), internal::ValueOrNull(t, before.kept_v)};
        const TopkArrays<T> gradients{t.acc(qkv), t.acc(before.k), t.acc(before.v),
                                      t.acc(before.kept_k), t.acc(before.kept_v)};
        AddNextGradients<T>(
            pass,
            {nullptr, t.grad(next.k), t.grad(next.v), t.grad(next.kept_k), t.grad(next.kept_v)},
            gradients);
        if (t.grad(y) == nullptr) return;
        T* g_table = t.acc(table);
        const int64_t heads = pass.shape.heads, columns = pass.width();
        for (int64_t token = 0; token < pass.rows * pass.steps; ++token) {
          const int64_t b = token / pass.steps, step = token % pass.steps;
          const int64_t in_statistics = b * heads * pass.steps + step;
          const kernels::TopkQuery<T> query{pass.pos[static_cast<size_t>(token)],
                                            values.qkv + token * 3 * columns, bias(t),
                                            kernels::kTopkFree};
          if (query.position < 0) continue;
          const T *y_token = t.value(y) + token * columns, *gy = t.grad(y) + token * columns;
          for (int64_t h = 0; h < heads; ++h) {
            const int64_t size = pass.shape.d_head, first = h * size;
            scratch[h] = kernels::Dot(size, y_token + first, gy + first);
          }
          T* g_q = gradients.qkv == nullptr ? nullptr : gradients.qkv + token * 3 * columns;
          ForEachKey<T>(pass, b, step, values, internal::ValueOrNull(t, before.kept_position),
                        gradients, [&](const kernels::TopkKey<T>& key) {
                          kernels::TopkKeyBackward<T>(
                              pass.shape, query, key, gy, scratch,
                              {statistics.largest + in_statistics, statistics.sum + in_statistics,
                               statistics.stride},
                              g_q, g_table);
                        });
        }
      });
  return out;
}

#define SSM_INSTANTIATE(T)                                                              \
  template TopkOutputs<T> TopkAttention(Tape<T>&, Var<T>, const TopkState<T>&, int64_t, \
                                        const AttentionView<T>&, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
