#include "ssm/autograd/ops/pool_tokens.h"

#include <algorithm>

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/pool_tokens.h"
#include "ssm/kernels/rotary.h"

namespace ssm {
namespace {

/// The groups of a batch and where their tokens lie.
struct PoolLayout {
  int64_t rows = 0, steps = 0, width = 0, entries = 0;
  int64_t every = 1, most = 0;
  Ints first, number, count;

  /// Calls visit(output, offset in the group, whether cached, where) for every token of every
  /// group: `where` is its row in a cache, or its token in qkv.
  template <class Visit>
  void ForEachToken(const Visit& visit) const {
    for (int64_t b = 0; b < rows; ++b) {
      for (int64_t m = 0; m < count[static_cast<size_t>(b)]; ++m) {
        const int64_t group = b * most + m;
        const int64_t begin = first[static_cast<size_t>(group)];
        const int64_t position = number[static_cast<size_t>(group)] * every;
        for (int64_t j = 0; j < every; ++j) {
          const bool cached = begin + j < 0;
          visit(group * 2 * width, j, cached,
                cached ? (b * entries + (position + j) % entries) * width
                       : (b * steps + begin + j) * 3 * width);
        }
      }
    }
  }
};

/// Angles of every - 1, ..., 0 tokens; null when keys are not turned.
template <Scalar T>
const T* Turns(Tape<T>& tape, int64_t every, int64_t d_head, double base) {
  if (base == 0) return nullptr;
  const Ints distances = tape.NewInts(every);
  for (int64_t j = 0; j < every; ++j) distances[static_cast<size_t>(j)] = every - 1 - j;
  T* turns = tape.Floats(every * d_head);
  if (tape.Live()) kernels::RotaryTable(every, d_head, distances.data(), base, turns);
  return turns;
}

}  // namespace

template <Scalar T>
Var<T> PoolTokens(Tape<T>& tape, Var<T> qkv, Var<T> k_cache, Var<T> v_cache, Var<T> taps,
                  int64_t heads, double base, const CompletedGroups& groups, const Clock& clock) {
  const int64_t width = tape.shape(qkv).Back(0) / 3, every = groups.every;
  SSM_CHECK(tape.shape(qkv) == Shape({clock.B, clock.T, 3 * width}) && width % heads == 0,
            "tokens are pooled from [B, T, 3 D] of their clock's B and T");
  SSM_CHECK(!taps || tape.shape(taps) == Shape({2, heads, every}),
            "weights of pooling are not [2, heads, every]");
  const PoolLayout layout{.rows = clock.B,
                          .steps = clock.T,
                          .width = width,
                          .entries = k_cache ? tape.shape(k_cache)[1] : 0,
                          .every = every,
                          .most = groups.most,
                          .first = groups.first,
                          .number = groups.number,
                          .count = groups.count};
  const Var<T> y = tape.New({clock.B, groups.most, 2 * width});
  const T* turns = Turns(tape, every, width / heads, base);
  const auto shape = [=](const Tape<T>& t) {
    return kernels::PoolShape<T>{heads, width / heads, every, turns,
                                 internal::ValueOrNull(t, taps)};
  };
  if (tape.Live()) {
    std::fill_n(tape.out(y), tape.shape(y).size(), T{0});
    layout.ForEachToken([&](int64_t to, int64_t j, bool cached, int64_t from) {
      const T* k = cached ? tape.value(k_cache) + from : tape.value(qkv) + from + width;
      const T* v = cached ? tape.value(v_cache) + from : tape.value(qkv) + from + 2 * width;
      kernels::PoolToken(shape(tape), j, k, v, tape.out(y) + to);
    });
  }
  double pooled = 0;
  for (const int64_t n : groups.count) pooled += static_cast<double>(n * every);
  const double each = (base == 0 ? 4.0 : 8.0) * static_cast<double>(width);
  tape.Record("pool_tokens", {qkv, k_cache, v_cache, taps}, {y}, each * pooled, [=](Tape<T>& t) {
    T *g_qkv = t.acc(qkv), *g_k = t.acc(k_cache), *g_v = t.acc(v_cache), *g_taps = t.acc(taps);
    const auto at = [](T* array, int64_t offset) {
      return array == nullptr ? nullptr : array + offset;
    };
    layout.ForEachToken([&](int64_t to, int64_t j, bool cached, int64_t from) {
      const T* k = cached ? t.value(k_cache) + from : t.value(qkv) + from + width;
      const T* v = cached ? t.value(v_cache) + from : t.value(qkv) + from + 2 * width;
      kernels::PoolTokenBackward(shape(t), j, k, v, t.grad(y) + to,
                                 cached ? at(g_k, from) : at(g_qkv, from + width),
                                 cached ? at(g_v, from) : at(g_qkv, from + 2 * width), g_taps);
    });
  });
  return y;
}

#define SSM_INSTANTIATE(T)                                                              \
  template Var<T> PoolTokens(Tape<T>&, Var<T>, Var<T>, Var<T>, Var<T>, int64_t, double, \
                             const CompletedGroups&, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
