// Attention over the newest tokens, or over all.
#pragma once

#include <array>

#include "ssm/mixers/attention_cache.h"

namespace ssm {

template <Scalar T>
class WindowMemory;

/// {"type": "window", "window": W}: a token sees the newest W tokens, itself counted. Slots k, v: a
/// ring of the W - 1 tokens before.
struct WindowCacheOptions;
struct WindowCacheOptions final : BuildsMemory<WindowCacheOptions, WindowMemory> {
  int64_t window = 64;
  void VisitFields(FieldVisitor& visitor) override;
  std::vector<int64_t> Lengths() const override;
};

/// {"type": "full"}: every token, for ever. Slots k, v grow.
struct FullCacheOptions;
struct FullCacheOptions final : BuildsMemory<FullCacheOptions, WindowMemory> {
  void VisitFields(FieldVisitor&) override {}
};

template <Scalar T>
class WindowMemory final : public AttentionMemory<T> {
 public:
  WindowMemory(const WindowCacheOptions& options, const AttentionHeads& heads, ParameterBuilder&);
  WindowMemory(const FullCacheOptions&, const AttentionHeads& heads, ParameterBuilder&);

  Outputs<T> Attend(Tape<T>& tape, Var<T> qkv, AttentionView<T> view, const Clock& clock,
                    std::span<const Var<T>> state, Want want) const override;
  void Step(const AttentionToken<T>& token, std::span<Slot<T>> state, T* y) const override;

 private:
  int64_t window_;  // 0: all
};

/// Slots k and v [width]: a ring of `entries` tokens.
std::vector<SlotSpec> RingSlots(int64_t entries, int64_t width);

/// One row of a ring of keys and one of values, when `position` tokens were written.
template <Scalar T>
struct RingRow {
  T *k = nullptr, *v = nullptr;
  int64_t entries = 0, width = 0, position = 0;

  RingRow(std::span<Slot<T>> state, int64_t row, int64_t tokens)
      : entries(state[0].data.shape()[1]), width(state[0].data.shape()[2]), position(tokens) {
    k = state[0].data.data() + row * entries * width;
    v = state[1].data.data() + row * entries * width;
  }

  int64_t Offset(int64_t p) const { return p % entries * width; }
  /// Tokens p of [first, position), the oldest first, `first` among those that are kept.
  std::array<kernels::KeyRun<T>, 2> Since(int64_t first) const;
  /// Keeps the token in place of the oldest.
  void Write(const T* qkv) const;
};

}  // namespace ssm
