// Attention over a sequence's first tokens and its newest.
#pragma once

#include "ssm/mixers/attention_cache.h"

namespace ssm {

template <Scalar T>
class SinkMemory;

/// {"type": "sink_window", "sinks": S, "window": W}: a token sees the newest W tokens, itself
/// counted, and of the first S of its sequence those that have left the window (attention sinks,
/// Xiao et al. 2024; positions stay those of the sequence, where that paper counts on in the
/// cache). Slots k, v: a ring of W - 1 tokens; sink_k, sink_v: the first S, kept when they come.
struct SinkCacheOptions;
struct SinkCacheOptions final : BuildsMemory<SinkCacheOptions, SinkMemory> {
  int64_t sinks = 4, window = 64;
  void VisitFields(FieldVisitor& visitor) override;
  std::vector<int64_t> Lengths() const override;
};

template <Scalar T>
class SinkMemory final : public AttentionMemory<T> {
 public:
  SinkMemory(const SinkCacheOptions& options, const AttentionHeads& heads, ParameterBuilder&);

  Outputs<T> Attend(Tape<T>& tape, Var<T> qkv, AttentionView<T> view, const Clock& clock,
                    std::span<const Var<T>> state, Want want) const override;
  void Step(const AttentionToken<T>& token, std::span<Slot<T>> state, T* y) const override;

 private:
  int64_t sinks_, window_;
};

}  // namespace ssm
