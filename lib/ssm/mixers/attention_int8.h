// Attention over all tokens, keys and values kept as bytes.
#pragma once

#include "ssm/mixers/attention_cache.h"

namespace ssm {

template <Scalar T>
class Int8Memory;

/// {"type": "int8"}: every token for ever, as in a full cache, but keys and values are kept as
/// whole numbers of -127 to 127, with one scale a token and head for k and one for v (symmetric, by
/// the largest: as Dettmers et al. 2022 round rows): s = max |x| / 127, 1 for a head of zeros, and
/// code = round(x / s), ties to even. Keys are turned before they are rounded. Every read sees
/// code s, a token's reading of itself too, so the error of a number is at most s / 2. Gradients
/// pass straight through the rounding.
///
/// Slots k, v: codes, a byte a number, growing; k_scale, v_scale [heads], growing, without a
/// gradient. 2 D + 2 heads sizeof(T) bytes a token, where a full cache takes 2 D sizeof(T). Live
/// bytes and state files count so; while it computes the process holds codes in arrays of T.
/// Queries, keys and values are projected row by row, since the last bit of a key can decide a
/// whole code: that product is some times slower than another layer's. A pass decodes the cache,
/// 2 D FLOPs a cached token; a stepper reads codes as they lie.
struct Int8CacheOptions;
struct Int8CacheOptions final : BuildsMemory<Int8CacheOptions, Int8Memory> {
  void VisitFields(FieldVisitor&) override {}
  bool Quantises() const override { return true; }
};

template <Scalar T>
class Int8Memory final : public AttentionMemory<T> {
 public:
  Int8Memory(const Int8CacheOptions&, const AttentionHeads& heads, ParameterBuilder&);

  Outputs<T> Attend(Tape<T>& tape, Var<T> qkv, AttentionView<T> view, const Clock& clock,
                    std::span<const Var<T>> state, Want want) const override;
  /// Codes and scales of one token.
  int64_t Scratch() const override { return 2 * (this->heads_.width() + this->heads_.heads); }
  void Step(const AttentionToken<T>& token, std::span<Slot<T>> state, T* y) const override;
};

}  // namespace ssm
