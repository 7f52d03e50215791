// Attention over the newest tokens and those before them that were attended to most.
#pragma once

#include <algorithm>

#include "ssm/kernels/distance_bias.h"

namespace ssm::kernels {

struct TopkShape {
  int64_t heads = 1, d_head = 1;
  int64_t window = 1;  // newest tokens, the query's own counted
  int64_t kept = 1;    // tokens before them, at most

  int64_t width() const { return heads * d_head; }
  /// Tokens kept when `tokens` tokens have come.
  int64_t KeptAfter(int64_t tokens) const {
    return std::clamp<int64_t>(tokens - (window - 1), 0, kept);
  }
  /// Keys that the token at `position` sees, its own counted.
  int64_t Seen(int64_t position) const {
    return std::min(position + 1, window) + KeptAfter(position);
  }
  int64_t Scratch() const { return 2 * (window + kept) + heads; }
};

/// One row's memory: a ring [window - 1] of keys, values [width] and the attention each has drawn
/// so far, summed over heads and queries; and the same of what is kept [kept], with positions.
template <class T>
struct TopkMemory {
  T *k = nullptr, *v = nullptr, *mass = nullptr;
  T *kept_k = nullptr, *kept_v = nullptr, *kept_mass = nullptr, *kept_position = nullptr;
};

/// Where the token that leaves the window goes: an entry, or nowhere.
inline constexpr int64_t kTopkDropped = -1;
/// No token leaves, or none has been chosen for yet.
inline constexpr int64_t kTopkFree = -2;

template <class T>
struct TopkQuery {
  int64_t position = 0;
  const T* qkv = nullptr;  // [3, heads, d_head]
  DistanceBias<T> bias;
  int64_t forced = kTopkFree;  // a choice made before
};

/// What the softmax of each head was shifted and divided by, `stride` apart; null: not told.
template <class T>
struct TopkStatistics {
  T *largest = nullptr, *sum = nullptr;
  int64_t stride = 1;
};

/// y [heads, d_head] = softmax attention over ring, kept and the token itself. Then the token
/// enters the ring, and the one that leaves it takes a free entry or that of the kept one that has
/// drawn least attention (the first of equals), if it has drawn more itself: that choice is
/// returned. Allocates nothing. Cost 4 d_head FLOPs a head and key.
template <class T>
int64_t TopkToken(const TopkShape& shape, const TopkQuery<T>& query, const TopkMemory<T>& memory,
                  T* y, const TopkStatistics<T>& statistics, T* scratch);

/// One key a query saw, and the gradients beside it (null: unwanted).
template <class T>
struct TopkKey {
  const T *k = nullptr, *v = nullptr;
  T *g_k = nullptr, *g_v = nullptr;
  int64_t distance = 0;
};

/// Adds what one query and one of its keys owe each other, in all heads, and to the bias' table;
/// `mean` [heads] is y . gy.
template <class T>
void TopkKeyBackward(const TopkShape& shape, const TopkQuery<T>& query, const TopkKey<T>& key,
                     const T* gy, const T* mean, const TopkStatistics<T>& statistics, T* g_q,
                     T* g_table);

}  // namespace ssm::kernels
