// Keys in front of an attention's window: some that were kept, some that stand for several tokens.
#pragma once

#include "ssm/kernels/attention.h"

namespace ssm::kernels {

/// Entry n of a sequence has the position of its last token, (n + 1) every - 1. A token sees
/// entries 0 .. cached - 1 of its row's caches [rows, entries, heads, d_head], and after them rows
/// [first, first + made) of `made` rows of `stride` columns that the pass brings itself.
struct FarShape {
  int64_t every = 1;
  int64_t entries = 0;                 // of the caches
  int64_t rows_made = 0, stride = 0;   // a row of the batch
  int64_t k_column = 0, v_column = 0;  // where a made row's key and value begin
  const int64_t *cached = nullptr, *first = nullptr, *made = nullptr;  // [rows, steps] each

  bool any() const { return cached != nullptr; }
  /// Pairs of a query and an entry it sees, of one head, among `tokens` tokens.
  double Pairs(int64_t tokens) const;
};

/// Values, or gradients to add to (null: unwanted).
template <class T>
struct FarArrays {
  T *k_cache = nullptr, *v_cache = nullptr, *made = nullptr;
};

/// Continues an attention: y and the statistics of its windows become those of all a token sees.
/// Cost as that of Attention, less dense.
template <class T>
void AddFar(const AttentionShape& shape, const FarShape& far, const AttentionInputs<T>& in,
            const FarArrays<const T>& keys, T* y, const AttentionStatistics<T>& statistics);

/// The far part of the backward, with y and statistics of all; AttentionBackward is the other.
template <class T>
void AddFarBackward(const AttentionShape& shape, const FarShape& far, const AttentionInputs<T>& in,
                    const FarArrays<const T>& keys, const T* y,
                    const AttentionStatistics<T>& statistics, const T* gy,
                    const AttentionGradients<T>& gradients, const FarArrays<T>& g_keys);

}  // namespace ssm::kernels
