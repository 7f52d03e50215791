// Softmax attention whose scores know how far apart query and key are, over the keys of a segment
// and a memory before it, or over a sliding window.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ssm::kernels {

/// Which keys the token at position p of its sequence sees, and through which of them gradients
/// flow. Segments are [n segment, (n + 1) segment).
struct KeyReach {
  int64_t back = 0;      // tokens before: of p if sliding, of the start of p's segment otherwise
  bool sliding = false;  // the same number of keys at every p, but for a sequence's beginning
  bool self = true;      // whether p sees itself
  int64_t segment = 0;   // length; 0: no segments, gradients flow everywhere

  int64_t First(int64_t p) const { return std::max<int64_t>(0, (sliding ? p : Live(p)) - back); }
  int64_t End(int64_t p) const { return self ? p + 1 : p; }
  /// Keys before this one are read where gradients stop.
  int64_t Live(int64_t p) const { return segment > 0 ? p - p % segment : 0; }
  /// Distances there are: 0 to this less one.
  int64_t Distances() const { return back + (sliding ? 1 : segment); }
};

/// Heads of d_head columns each stand side by side; D = heads d_head.
struct RelativeAttentionShape {
  int64_t rows = 0, steps = 0, heads = 0, d_head = 0;
  KeyReach reach;
  int64_t entries = 0;           // of the ring: position p at entry p mod entries; 0: there is none
  const int64_t* pos = nullptr;  // [rows, steps]: 0 starts a sequence, -1 is padding
  double scale = 1;              // of all scores
  const int64_t* bucket = nullptr;  // [distances] row of the bias, when there is one
  int64_t buckets = 0;

  int64_t width() const { return heads * d_head; }
  /// Distances that occur: no more than the tokens of the longest sequence.
  int64_t Distances() const;
  /// Pairs of a query and a key it sees, of one head.
  double Pairs() const;
};

/// Values, or (of T) their gradients, null where unwanted.
template <class Pointer>
struct RelativeAttentionArrays {
  Pointer qkv = nullptr;      // [rows, steps, 3, D]: q, k and v of each token
  Pointer kv_stop = nullptr;  // [rows, steps, 2, D]: k and v where gradients stop; null: as in qkv
  Pointer ring = nullptr;     // [rows, entries, 2, D]: k and v of the tokens before
  Pointer ring_stop = nullptr;
  // Scores gain (q + v) . r_distance, and q in q . k is q + u; null: they do not.
  Pointer r = nullptr;               // [distances, D]
  Pointer u = nullptr, v = nullptr;  // [D]
  Pointer bias = nullptr;            // [heads, buckets], added to scores after scaling; null: none
};

template <class T>
int64_t RelativeAttentionScratch(const RelativeAttentionShape& shape);

/// y [rows, steps, D] = sum_j softmax_j(scale ((q + u) . k_j + (q + v) . r_{p-j}) + bias_{p-j})
/// v_j; 0 where nothing is seen and for padding. Queries are taken in blocks within a segment; no
/// array is larger than a block by the keys it sees. A token's bits do not depend on those after
/// it. Cost 6 d_head FLOPs (4 without r) and one exponential for each head and pair.
template <class T>
void RelativeAttention(const RelativeAttentionShape& shape,
                       const RelativeAttentionArrays<const T*>& in, T* y, T* scratch);

/// Adds into `gradients`. Weights are computed again.
template <class T>
void RelativeAttentionBackward(const RelativeAttentionShape& shape,
                               const RelativeAttentionArrays<const T*>& in, const T* gy,
                               const RelativeAttentionArrays<T*>& gradients, T* scratch);

}  // namespace ssm::kernels
