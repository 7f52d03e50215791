// What an attention mixer keeps of the past and what a query may see of it: one class a cache type.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ssm/autograd/ops/attention.h"
#include "ssm/autograd/ops/cache_write.h"
#include "ssm/kernels/attention.h"
#include "ssm/mixers/sequence_mixer.h"
#include "ssm/nn/parameters.h"

namespace ssm {

/// Heads of an attention mixer. Keys of tokens are turned already; who moves a key to another
/// position turns it on.
struct AttentionHeads {
  int64_t heads = 1, d_head = 1;
  double rotary_base = 0;  // 0: keys are not turned

  int64_t width() const { return heads * d_head; }
};

/// One token of one row on its way through a stepper.
template <Scalar T>
struct AttentionToken {
  int64_t row = 0, position = 0;
  T* qkv = nullptr;  // [3, heads, d_head]; the memory may change it
  kernels::DistanceBias<T> bias;
  ParamView<T> params;
  T* scratch = nullptr;  // Scratch() numbers
};

/// Two faces of one rule, as a mixer has two.
template <Scalar T>
class AttentionMemory {
 public:
  virtual ~AttentionMemory() = default;
  const std::vector<SlotSpec>& Slots() const { return slots_; }
  /// y [B, T, D], the heads side by side, and the next state. `view` says heads and bias.
  virtual Outputs<T> Attend(Tape<T>& tape, Var<T> qkv, AttentionView<T> view, const Clock& clock,
                            std::span<const Var<T>> state, Want want) const = 0;
  virtual int64_t Scratch() const { return 0; }
  /// The same for one token; y [D]. Rows at position 0 are cleared already, growing slots have
  /// room.
  virtual void Step(const AttentionToken<T>& token, std::span<Slot<T>> state, T* y) const = 0;

 protected:
  AttentionMemory(const AttentionHeads& heads, std::vector<SlotSpec> slots)
      : heads_(heads), slots_(std::move(slots)) {}

  CacheColumns KeyColumns() const { return {heads_.width(), heads_.width()}; }
  CacheColumns ValueColumns() const { return {2 * heads_.width(), heads_.width()}; }

  AttentionHeads heads_;
  std::vector<SlotSpec> slots_;
};

/// Slots k and v alike.
std::vector<SlotSpec> KeyValueSlots(const SlotSpec& k);

}  // namespace ssm
