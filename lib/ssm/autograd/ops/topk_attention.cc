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

template <Scalar T>
TopkPass NewPass(Tape<T>& tape, const kernels::TopkShape& shape, const Clock& clock) {
  TopkPass pass;
  pass.shape = shape;
  pass.rows = clock.B;
  pass.steps = clock.T;
  pass.pos = clock.pos;
  pass.before = clock.before;
  pass.choices = tape.NewInts(clock.B * clock.T);
  pass.seen = tape.NewInts(clock.B * clock.T * shape.kept);
  pass.left = tape.NewInts(clock.B * shape.kept);
  return pass;
}

template <Scalar T>
TopkState<T> NewState(Tape<T>& tape, const TopkPass& pass) {
  const int64_t rows = pass.rows, ring = pass.ring(), kept = pass.shape.kept, width = pass.width();
  return {tape.New({rows, ring, width}), tape.New({rows, ring, width}), tape.New({rows, ring, 1}),
          tape.New({rows, kept, width}), tape.New({rows, kept, width}), tape.New({rows, kept, 1}),
          tape.New({rows, kept, 1})};
}

/// All that a run and its backward read.
template <Scalar T>
struct TopkOp {
  TopkPass pass;
  Var<T> qkv, y, table;
  TopkState<T> before, next;
  kernels::TopkStatistics<T> statistics;
  const T* slopes = nullptr;
  int64_t distances = 0;  // columns of the table
  T* scratch = nullptr;

  kernels::DistanceBias<T> Bias(const Tape<T>& tape) const {
    return {slopes, internal::ValueOrNull(tape, table), distances};
  }
};

template <Scalar T>
void RunRows(Tape<T>& tape, const TopkOp<T>& op) {
  CopyState(tape, op.before, op.next);
  for (int64_t b = 0; b < op.pass.rows; ++b) {
    RunRow<T>(op.pass, b, op.Bias(tape), tape.value(op.qkv), MemoryOf(tape, op.pass, op.next, b),
              tape.out(op.y), op.statistics, op.scratch);
  }
}

/// Runs the pass; again where the choices it made are not those to be held.
template <Scalar T>
void RunChoosing(Tape<T>& tape, const TopkOp<T>& op) {
  const Ints choices = op.pass.choices;
  std::ranges::fill(choices, kernels::kTopkFree);
  if (tape.Live()) RunRows(tape, op);
  const Ints chosen = tape.NewInts(std::ssize(choices));
  std::ranges::copy(choices, chosen.begin());
  tape.StopChoices(choices);
  if (tape.Live() && !std::ranges::equal(choices, chosen)) RunRows(tape, op);
}

/// What token `step` of row b and the keys it saw owe each other.
template <Scalar T>
void TokenBackward(Tape<T>& tape, const TopkOp<T>& op, int64_t b, int64_t step,
                   const TopkArrays<const T>& values, const TopkArrays<T>& gradients, T* g_table) {
  const TopkPass& pass = op.pass;
  const int64_t heads = pass.shape.heads, size = pass.shape.d_head, width = pass.width();
  const int64_t token = b * pass.steps + step;
  const kernels::TopkQuery<T> query{pass.pos[static_cast<size_t>(token)],
                                    values.qkv + token * 3 * width, op.Bias(tape),
                                    kernels::kTopkFree};
  if (query.position < 0) return;
  const T *y = tape.value(op.y) + token * width, *gy = tape.grad(op.y) + token * width;
  T* mean = op.scratch;
  for (int64_t h = 0; h < heads; ++h) mean[h] = kernels::Dot(size, y + h * size, gy + h * size);
  const int64_t in_statistics = b * heads * pass.steps + step;
  const kernels::TopkStatistics<T> statistics{op.statistics.largest + in_statistics,
                                              op.statistics.sum + in_statistics,
                                              op.statistics.stride};
  T* g_q = gradients.qkv == nullptr ? nullptr : gradients.qkv + token * 3 * width;
  ForEachKey<T>(pass, b, step, values, internal::ValueOrNull(tape, op.before.kept_position),
                gradients, [&](const kernels::TopkKey<T>& key) {
                  kernels::TopkKeyBackward<T>(pass.shape, query, key, gy, mean, statistics, g_q,
                                              g_table);
                });
}

template <Scalar T>
void Backward(Tape<T>& tape, const TopkOp<T>& op) {
  const TopkState<T>&before = op.before, &next = op.next;
  const auto value = [&tape](Var<T> var) { return internal::ValueOrNull(tape, var); };
  const TopkArrays<const T> values{value(op.qkv), value(before.k), value(before.v),
                                   value(before.kept_k), value(before.kept_v)};
  const TopkArrays<T> gradients{tape.acc(op.qkv), tape.acc(before.k), tape.acc(before.v),
                                tape.acc(before.kept_k), tape.acc(before.kept_v)};
  AddNextGradients<T>(op.pass,
                      {nullptr, tape.grad(next.k), tape.grad(next.v), tape.grad(next.kept_k),
                       tape.grad(next.kept_v)},
                      gradients);
  if (tape.grad(op.y) == nullptr) return;
  T* g_table = tape.acc(op.table);
  for (int64_t b = 0; b < op.pass.rows; ++b) {
    for (int64_t step = 0; step < op.pass.steps; ++step) {
      TokenBackward(tape, op, b, step, values, gradients, g_table);
    }
  }
}

}  // namespace

template <Scalar T>
TopkOutputs<T> TopkAttention(Tape<T>& tape, Var<T> qkv, const TopkState<T>& before, int64_t kept,
                             const AttentionView<T>& view, const Clock& clock) {
  const int64_t width = tape.shape(qkv).Back(0) / 3;
  SSM_CHECK(tape.shape(qkv) == Shape({clock.B, clock.T, 3 * width}) && width % view.heads == 0,
            "attention reads [B, T, 3 D] of its clock's B and T, D a multiple of the heads");
  TopkOp<T> op;
  op.pass = NewPass(tape, {view.heads, width / view.heads, view.window, kept}, clock);
  op.qkv = qkv;
  op.table = view.bias.table;
  op.before = before;
  op.y = tape.New({clock.B, clock.T, width});
  op.next = NewState(tape, op.pass);
  const int64_t rows = clock.B * clock.T * view.heads;
  op.statistics = {tape.Floats(rows), tape.Floats(rows), clock.T};
  op.slopes = AlibiSlopes(tape, view);
  if (op.table) op.distances = tape.shape(op.table)[1];
  op.scratch = tape.Floats(op.pass.shape.Scratch());
  RunChoosing(tape, op);

  for (Var<T>* held : {&op.next.mass, &op.next.kept_mass, &op.next.kept_position}) {
    *held = tape.Stop(*held);
  }
  const double each = 4 * static_cast<double>(width) +
                      static_cast<double>(view.heads) * (view.bias.alibi || op.table ? 2 : 1);
  tape.Record("topk_attention", {qkv, before.k, before.v, before.kept_k, before.kept_v, op.table},
              {op.y, op.next.k, op.next.v, op.next.kept_k, op.next.kept_v}, each * Pairs(op.pass),
              [op](Tape<T>& t) { Backward(t, op); });
  return {op.y, op.next};
}

#define SSM_INSTANTIATE(T)                                                              \
  template TopkOutputs<T> TopkAttention(Tape<T>&, Var<T>, const TopkState<T>&, int64_t, \
                                        const AttentionView<T>&, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
