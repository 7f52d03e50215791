// The states of one row while it visits one block. Only kernels' .cc files include this.
#pragma once

#include <algorithm>

#include "ssm/kernels/block_recurrence.h"
#include "ssm/kernels/cross_attention.h"
#include "ssm/kernels/gemm.h"
#include "ssm/kernels/norm.h"
#include "ssm/kernels/pieces.h"
#include "ssm/kernels/rows.h"
#include "ssm/kernels/unit_heads.h"

namespace ssm::kernels {

template <class T>
class BlockCell {
 public:
  using Values = BlockRecurrenceArrays<const T*>;
  using Gradients = BlockRecurrenceArrays<T*>;

  BlockCell(const BlockRecurrenceShape& shape, const Values& in, T* scratch)
      : shape_(shape),
        in_(in),
        first_(shape.First()),
        second_(shape.Second()),
        width_(shape.width()),
        dual_(shape.structure == BlockStructure::kDual) {
    const int64_t n = shape.states;
    Pieces<T> pieces(scratch);
    for (T** part : {&rstd_, &second_rstd_}) *part = pieces.Take(n);
    for (T** part : {&normal_, &between_, &second_normal_, &g_normal_}) {
      *part = pieces.Take(n * width_);
    }
    for (T** part : {&raw_, &opened_, &g_raw_, &g_opened_}) *part = pieces.Take(4 * n * width_);
    for (T** part : {&heads_, &g_heads_}) *part = pieces.Take(2 * n * width_);
    first_kept_ = pieces.Take(first_.Kept());
    second_kept_ = pieces.Take(dual_ ? second_.Kept() : 0);
    attention_ = pieces.Take(CrossAttentionScratch<T>(MostPairs(shape)));
  }

  static int64_t Scratch(const BlockRecurrenceShape& shape) {
    const int64_t n = shape.states, size = shape.StateSize();
    return 2 * n + (4 + 16 + 4) * size + shape.First().Kept() + shape.Second().Kept() +
           CrossAttentionScratch<T>(MostPairs(shape));
  }

  /// opened [S, 4 D]: the unit queries, scaled, the unit keys and the values of states s.
  void Open(const T* s, T* opened) {
    const int64_t n = shape_.states;
    RmsNorm(n, width_, s, in_.norm, normal_, rstd_);
    Axpy(n * width_, T{1}, in_.ids, normal_);
    GemmTransposedB(n, 4 * width_, width_, normal_, in_.project, raw_, Write::kAssign);
    UnitHeads(Heads(), raw_, in_.scale, opened);
  }
  void Open(const T* s) { Open(s, opened_); }
  const T* opened() const { return opened_; }

  /// y [n, D] from queries [n, D].
  void Read(const T* opened, int64_t n, const T* query, T* y) {
    CrossAttention(Pairs(n, shape_.states, width_, 4 * width_, width_), query, opened + 2 * width_,
                   opened + 3 * width_, y, attention_);
  }

  /// next [S, D] from s and the tokens' kv [n, 2 D].
  void Close(const T* opened, const T* s, int64_t n, const T* kv, T* next) {
    CrossAttention(OfStates(), opened, opened + 2 * width_, opened + 3 * width_, heads_,
                   attention_);
    CrossAttention(OfTokens(n), opened + width_, kv, kv + width_, heads_ + width_, attention_);
    GateStage(first_, in_.first, heads_, s, dual_ ? between_ : next, first_kept_);
    if (!dual_) return;
    RmsNorm(shape_.states, width_, between_, in_.second_norm, second_normal_, second_rstd_);
    GateStage(second_, in_.second, second_normal_, between_, next, second_kept_);
  }

  /// After Open and Close of s: g, the gradient of what Close gave, becomes what reaches s past the
  /// attentions. Begins the gradients of what was opened; g_kv [n, 2 D] is added to.
  void CloseBackward(const T* s, int64_t n, const T* kv, T* g, T* g_kv, const Gradients& to) {
    if (dual_) {
      std::fill_n(g_normal_, shape_.StateSize(), T{0});
      GateStageBackward(second_, in_.second, second_normal_, between_, second_kept_, g, g_normal_,
                        to.second);
      RmsNormBackward(shape_.states, width_, between_, in_.second_norm, second_rstd_, g_normal_, g,
                      to.second_norm);
    }
    std::fill_n(g_heads_, 2 * shape_.StateSize(), T{0});
    GateStageBackward(first_, in_.first, heads_, s, first_kept_, g, g_heads_, to.first);
    CrossAttentionBackward(OfStates(), opened_, opened_ + 2 * width_, opened_ + 3 * width_,
                           g_heads_, g_opened_, g_opened_ + 2 * width_, g_opened_ + 3 * width_,
                           attention_);
    CrossAttentionBackward(OfTokens(n), opened_ + width_, kv, kv + width_, g_heads_ + width_,
                           g_opened_ + width_, g_kv, g_kv + width_, attention_);
  }
  void BeginBackward() { std::fill_n(g_opened_, 4 * shape_.StateSize(), T{0}); }
  void ReadBackward(int64_t n, const T* query, const T* gy, T* g_query) {
    CrossAttentionBackward(Pairs(n, shape_.states, width_, 4 * width_, width_), query,
                           opened_ + 2 * width_, opened_ + 3 * width_, gy, g_query,
                           g_opened_ + 2 * width_, g_opened_ + 3 * width_, attention_);
  }
  /// Adds to g what reaches s through what was opened.
  void OpenBackward(const T* s, T* g, const Gradients& to) {
    const int64_t n = shape_.states;
    std::fill_n(g_raw_, 4 * n * width_, T{0});
    UnitHeadsBackward(Heads(), raw_, in_.scale, g_opened_, g_raw_, to.scale);
    Gemm(n, width_, 4 * width_, g_raw_, in_.project, g_normal_, Write::kAssign);
    if (to.project != nullptr) {
      GemmTransposedA(4 * width_, width_, n, g_raw_, normal_, to.project, Write::kAdd);
    }
    if (to.ids != nullptr) Axpy(n * width_, T{1}, g_normal_, to.ids);
    RmsNormBackward(n, width_, s, in_.norm, rstd_, g_normal_, g, to.norm);
  }

 private:
  static CrossAttentionShape MostPairs(const BlockRecurrenceShape& shape) {
    return {shape.heads, shape.d_head, 0, std::max(shape.states, 2 * shape.block), 0, 0, 0};
  }
  CrossAttentionShape Pairs(int64_t queries, int64_t keys, int64_t q_stride, int64_t kv_stride,
                            int64_t y_stride) const {
    return {shape_.heads, shape_.d_head, queries, keys, q_stride, kv_stride, y_stride};
  }
  CrossAttentionShape OfStates() const {
    return Pairs(shape_.states, shape_.states, 4 * width_, 4 * width_, 2 * width_);
  }
  CrossAttentionShape OfTokens(int64_t n) const {
    return Pairs(shape_.states, n, 4 * width_, 2 * width_, 2 * width_);
  }
  UnitHeadsShape Heads() const {
    return {shape_.states, 4 * width_, 3 * shape_.heads, shape_.d_head, 2 * shape_.heads};
  }

  const BlockRecurrenceShape& shape_;
  Values in_;
  GateStageShape first_, second_;
  int64_t width_;
  bool dual_;
  T *rstd_, *second_rstd_;                             // [S]
  T *normal_, *between_, *second_normal_, *g_normal_;  // [S, D]
  T *raw_, *opened_, *g_raw_, *g_opened_;              // [S, 4 D]
  T *heads_, *g_heads_;                                // [S, 2 D]: from states, from tokens
  T *first_kept_, *second_kept_, *attention_;
};

}  // namespace ssm::kernels
