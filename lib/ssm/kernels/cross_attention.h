// Softmax attention in which every query sees every key.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// Heads of d_head columns stand side by side in rows of D = heads d_head columns; strides are
/// between rows. Queries are scaled already.
struct CrossAttentionShape {
  int64_t heads = 0, d_head = 0;
  int64_t queries = 0, keys = 0;
  int64_t q_stride = 0, kv_stride = 0, y_stride = 0;
};

/// For up to as many queries and keys.
template <class T>
int64_t CrossAttentionScratch(const CrossAttentionShape& most);

/// y [queries, D] = sum_j softmax_j(q . k_j) v_j in each head;. A query's bits do not
/// depend on the queries beside it. Cost 4 D FLOPs a pair.
template <class T>
void CrossAttention(const CrossAttentionShape& shape, const T* q, const T* k, const T* v, T* y,
                    T* scratch);

/// Adds into gq, gk and gv, strided as q, k and v. Weights are computed again.
template <class T>
void CrossAttentionBackward(const CrossAttentionShape& shape, const T* q, const T* k, const T* v,
                            const T* gy, T* gq, T* gk, T* gv, T* scratch);

}  // namespace ssm::kernels
