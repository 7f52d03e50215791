#include "ssm/autograd/ops/far_keys.h"

#include <algorithm>

namespace ssm {
namespace {

template <Scalar T>
FarKeys<T> EmptyKeys(Tape<T>& tape, const Clock& clock) {
  FarKeys<T> keys;
  for (Ints* counts : {&keys.cached, &keys.first, &keys.made}) {
    *counts = tape.NewInts(clock.B * clock.T);
  }
  return keys;
}

/// Calls visit(row, token, position, whether its sequence began before the pass) in order.
template <class Visit>
void ForEachToken(const Clock& clock, const Visit& visit) {
  for (int64_t b = 0; b < clock.B; ++b) {
    bool continued = true;
    for (int64_t token = b * clock.T; token < (b + 1) * clock.T; ++token) {
      const int64_t position = clock.pos[static_cast<size_t>(token)];
      if (position == 0) continued = false;
      if (position >= 0) visit(b, token, position, continued);
    }
  }
}

}  // namespace

template <Scalar T>
FarKeys<T> SinkKeys(Tape<T>& tape, Var<T> qkv, Var<T> k_sinks, Var<T> v_sinks, int64_t sinks,
                    int64_t window, const Clock& clock) {
  FarKeys<T> keys = EmptyKeys(tape, clock);
  keys.k_cache = k_sinks;
  keys.v_cache = v_sinks;
  keys.rows = qkv;
  keys.k_column = tape.shape(qkv).Back(0) / 3;
  keys.v_column = 2 * keys.k_column;
  ForEachToken(clock, [&](int64_t b, int64_t token, int64_t position, bool continued) {
    const size_t i = static_cast<size_t>(token);
    const int64_t seen = std::clamp<int64_t>(position + 1 - window, 0, sinks);
    const int64_t before = continued ? clock.before[static_cast<size_t>(b)] : 0;
    keys.cached[i] = std::min(seen, before);
    keys.made[i] = seen - keys.cached[i];
    if (keys.made[i] > 0) keys.first[i] = token - b * clock.T - position + keys.cached[i];
  });
  return keys;
}

template <Scalar T>
CompletedGroups CompleteGroups(Tape<T>& tape, int64_t every, int64_t window, const Clock& clock) {
  CompletedGroups groups;
  groups.every = every;
  groups.window = window;
  groups.count = tape.NewInts(clock.B);
  groups.last = tape.NewInts(clock.B);
  groups.entries_after = tape.NewInts(clock.B);
  const auto completes = [&](int64_t position) {
    return groups.Before(position + 1) > groups.Before(position);
  };
  ForEachToken(clock, [&](int64_t b, int64_t, int64_t position, bool) {
    if (completes(position)) ++groups.count[static_cast<size_t>(b)];
  });
  for (size_t b = 0; b < groups.count.size(); ++b) {
    groups.most = std::max(groups.most, groups.count[b]);
    groups.last[b] = groups.count[b] - 1;
    groups.entries_after[b] = groups.Before(clock.after[b]);
  }
  groups.first = tape.NewInts(clock.B * groups.most);
  groups.number = tape.NewInts(clock.B * groups.most);
  int64_t row = -1, at = 0;
  ForEachToken(clock, [&](int64_t b, int64_t token, int64_t position, bool) {
    if (b != row) at = 0;
    row = b;
    if (!completes(position)) return;
    const size_t i = static_cast<size_t>(b * groups.most + at++);
    groups.number[i] = groups.Before(position);
    groups.first[i] = token - b * clock.T - position + groups.number[i] * every;
  });
  return groups;
}

template <Scalar T>
FarKeys<T> PooledKeys(Tape<T>& tape, Var<T> rows, Var<T> k_pooled, Var<T> v_pooled,
                      const CompletedGroups& groups, const Clock& clock) {
  FarKeys<T> keys = EmptyKeys(tape, clock);
  keys.every = groups.every;
  keys.k_cache = k_pooled;
  keys.v_cache = v_pooled;
  keys.rows = rows;
  keys.v_column = tape.shape(rows).Back(0) / 2;
  int64_t row = -1, completed = 0;
  ForEachToken(clock, [&](int64_t b, int64_t token, int64_t position, bool continued) {
    if (b != row) completed = 0;
    row = b;
    const size_t i = static_cast<size_t>(token);
    const int64_t seen = groups.Before(position);
    const int64_t before = continued ? groups.Before(clock.before[static_cast<size_t>(b)]) : 0;
    keys.cached[i] = std::min(seen, before);
    keys.made[i] = seen - keys.cached[i];
    keys.first[i] = completed - keys.made[i];
    completed += groups.Before(position + 1) - seen;
  });
  return keys;
}

#define SSM_INSTANTIATE(T)                                                                        \
  template FarKeys<T> SinkKeys(Tape<T>&, Var<T>, Var<T>, Var<T>, int64_t, int64_t, const Clock&); \
  template CompletedGroups CompleteGroups(Tape<T>&, int64_t, int64_t, const Clock&);              \
  template FarKeys<T> PooledKeys(Tape<T>&, Var<T>, Var<T>, Var<T>, const CompletedGroups&,        \
                                 const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
