// Causal softmax attention over a sequence and the cached tokens before it.
#pragma once

#include <cstdint>
#include <span>

#include "ssm/kernels/distance_bias.h"

namespace ssm::kernels {

/// Sizes of the blocks that queries and keys are cut into.
inline constexpr int64_t kAttentionQueries = 32;
inline constexpr int64_t kAttentionKeys = 256;
/// Steps that are finished for all heads before the next, where windows allow.
inline constexpr int64_t kAttentionChunk = 512;

/// Heads of d_head columns each stand side by side: a token's query, key and value, [3, heads,
/// d_head], are one row of `qkv`; a cache [rows, entries, heads, d_head] holds the token of
/// position p at entry p mod entries.
struct AttentionShape {
  int64_t rows = 0, steps = 0, heads = 0, d_head = 0;
  int64_t window = 0;            // newest tokens a query sees, its own counted; 0: all
  int64_t group = 1;             // tokens leave the window this many at a time, all of a group
  bool biased = false;           // distances of query and key weigh
  int64_t entries = 0;           // of the caches; 0: there are none
  const int64_t* pos = nullptr;  // [rows, steps]: 0 starts a sequence, -1 is padding

  int64_t width() const { return heads * d_head; }
  int64_t tokens() const { return rows * steps; }
  /// Keys that the token at position `position` sees, its own counted; none for padding. A window
  /// holds up to group - 1 tokens more: those in front of it whose group is not complete.
  int64_t Seen(int64_t position) const;
  /// Cached tokens that a row's first token sees.
  int64_t Past(int64_t row) const;
  /// Largest Past(row) + steps.
  int64_t Longest() const;
  /// Heads of a token lie together: windows are taken chunk by chunk of time, each for all heads,
  /// as many steps as the processor's cache holds and still several windows.
  int64_t ChunkSteps() const;
  /// Keys that the steps of a chunk see between them, at most: what one head's scratch is for.
  int64_t ChunkKeys() const;
  /// Seen of any token, at most.
  int64_t MostSeen() const;
  /// Pairs of a query and a key it sees, of one head.
  double Pairs() const;
};

template <class T>
struct AttentionInputs {
  const T *qkv = nullptr, *k_cache = nullptr, *v_cache = nullptr;
  DistanceBias<T> bias;
};

/// What the softmax of each query was shifted and divided by, [rows, heads, steps] each.
template <class T>
struct AttentionStatistics {
  T *largest = nullptr, *sum = nullptr;
};

template <class T>
int64_t AttentionScratch(const AttentionShape& shape);
template <class T>
int64_t AttentionBackwardScratch(const AttentionShape& shape);

/// y [rows, steps, heads, d_head] = sum_j softmax_j(q . k_j / sqrt(d_head)) v_j over the keys that
/// a token sees; 0 for padding. Keys come in segments with a running maximum, so no array is
/// queries by keys. A token's bits do not depend on those after it. Cost 4 d_head FLOPs and one
/// exponential for each head and pair, and what blocks do beyond.
template <class T>
void Attention(const AttentionShape& shape, const AttentionInputs<T>& in, T* y,
               const AttentionStatistics<T>& statistics, T* scratch);

/// Gradients that go out, added to; null: unwanted.
template <class T>
struct AttentionGradients {
  T *qkv = nullptr, *k_cache = nullptr, *v_cache = nullptr;
  T* bias_table = nullptr;
};

/// Weights are computed again from queries, keys and statistics: 2.5 times the cost forward.
template <class T>
void AttentionBackward(const AttentionShape& shape, const AttentionInputs<T>& in, const T* y,
                       const AttentionStatistics<T>& statistics, const T* gy,
                       const AttentionGradients<T>& gradients, T* scratch);

/// Keys [n, heads, d_head] and values side by side in memory. Key j is `distance` - j `spacing`
/// tokens away from the query. With scales [n, heads] each head's key, or value, is multiplied by
/// its own: a run of codes is read as it lies.
template <class T>
struct KeyRun {
  int64_t n = 0;
  const T *k = nullptr, *v = nullptr;
  int64_t distance = 0, spacing = 1;
  const T *k_scale = nullptr, *v_scale = nullptr;  // null: 1
};

/// One token of one row: q, k, v and y [heads, d_head], and what it sees of caches, in any order.
/// Allocates nothing.
template <class T>
void AttendToken(int64_t heads, int64_t d_head, const DistanceBias<T>& bias, const T* qkv,
                 std::span<const KeyRun<T>> runs, T* y);

}  // namespace ssm::kernels
