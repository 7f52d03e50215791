// Attention over the newest tokens, and one entry for each group of tokens before them.
#pragma once

#include "ssm/mixers/attention_cache.h"

namespace ssm {

template <Scalar T>
class PooledMemory;

enum class PoolKind { kMean, kConv };

/// {"type": "pooled", "window": W, "every": c, "pool": "mean" | "conv"}: compressed memory (after
/// Rae et al. 2020). Tokens are grouped by c from a sequence's first. A token sees the newest W
/// tokens, itself counted; in front of them the up to c - 1 tokens whose group is not complete yet;
/// and for each group in front of those one entry, the group's keys and values pooled. So nothing
/// is ever out of sight, and the state grows c times slower than a full cache.
///
/// Position of an entry: that of its group's last token. Keys that are turned are turned on to it
/// before they are pooled. mean: 1 / c each. conv: a convolution of length and stride c, its kernel
/// shared by the channels of a head; parameter pool [2, H, c] (keys, values) from 1 / c.
///
/// Slots k, v: a ring of W + c - 2 tokens; pooled_k, pooled_v: an entry every c tokens after the
/// first W - 1, without end.
struct PooledCacheOptions;
struct PooledCacheOptions final : BuildsMemory<PooledCacheOptions, PooledMemory> {
  int64_t window = 64, every = 8;
  PoolKind pool = PoolKind::kMean;
  void VisitFields(FieldVisitor& visitor) override;
  std::vector<InitialRange> Initial() const override;
  std::vector<int64_t> Lengths() const override;
};

template <Scalar T>
class PooledMemory final : public AttentionMemory<T> {
 public:
  PooledMemory(const PooledCacheOptions& options, const AttentionHeads& heads,
               ParameterBuilder& parameters);

  Outputs<T> Attend(Tape<T>& tape, Var<T> qkv, AttentionView<T> view, const Clock& clock,
                    std::span<const Var<T>> state, Want want) const override;
  /// One pooled entry.
  int64_t Scratch() const override { return 2 * this->heads_.width(); }
  void Step(const AttentionToken<T>& token, std::span<Slot<T>> state, T* y) const override;

 private:
  /// Groups complete after `tokens` tokens.
  int64_t Complete(int64_t tokens) const {
    return tokens < window_ ? 0 : (tokens - (window_ - 1)) / every_;
  }

  int64_t window_, every_;
  Param taps_;
  bool has_taps_;
  std::vector<T> turns_;  // of a group's tokens to its last; empty when keys are not turned
};

}  // namespace ssm
