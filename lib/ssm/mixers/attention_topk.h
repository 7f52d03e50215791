// Attention over the newest tokens and those before them that were attended to most.
#pragma once

#include "ssm/kernels/topk_attention.h"
#include "ssm/mixers/attention_cache.h"

namespace ssm {

template <Scalar T>
class TopkMemory;

/// {"type": "topk", "window": W, "kept": K}: a token sees the newest W tokens, itself counted, and
/// up to K before them. A token that leaves the window is kept if there is room, or if it has drawn
/// more attention so far (summed over heads and the queries that saw it) than the kept one that has
/// drawn least, whose place it takes (after Zhang et al. 2023, H2O; one choice for all heads). What
/// is kept keeps its position. The choice itself takes no gradient.
///
/// Slots k, v, mass: a ring of W - 1 tokens and the attention each drew; kept_k, kept_v, kept_mass,
/// kept_position: K entries, from the moment the ring is full. Masses and positions take no
/// gradient; float32 counts positions exactly up to 16,777,216. Tokens go one after the other: a
/// pass over T is T steps.
struct TopkCacheOptions;
struct TopkCacheOptions final : BuildsMemory<TopkCacheOptions, TopkMemory> {
  int64_t window = 64, kept = 16;
  void VisitFields(FieldVisitor& visitor) override;
  std::vector<int64_t> Lengths() const override;
};

template <Scalar T>
class TopkMemory final : public AttentionMemory<T> {
 public:
  TopkMemory(const TopkCacheOptions& options, const AttentionHeads& heads, ParameterBuilder&);

  Outputs<T> Attend(Tape<T>& tape, Var<T> qkv, AttentionView<T> view, const Clock& clock,
                    std::span<const Var<T>> state, Want want) const override;
  int64_t Scratch() const override { return shape_.Scratch(); }
  void Step(const AttentionToken<T>& token, std::span<Slot<T>> state, T* y) const override;

 private:
  kernels::TopkShape shape_;
};

}  // namespace ssm
