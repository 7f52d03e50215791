#include "ssm/mixers/attention_topk.h"

#include <algorithm>

#include "ssm/autograd/ops/topk_attention.h"

namespace ssm {
namespace {

std::vector<SlotSpec> TopkSlots(const TopkCacheOptions& options, int64_t width) {
  const int64_t ring = options.window - 1;
  const auto newest = [&](const char* name, int64_t size, bool differentiable) {
    return SlotSpec{.name = name,
                    .kind = SlotKind::kRing,
                    .entry = Shape{size},
                    .entries = ring,
                    .differentiable = differentiable};
  };
  const auto kept = [&](const char* name, int64_t size, bool differentiable) {
    return SlotSpec{.name = name,
                    .kind = SlotKind::kFilling,
                    .entry = Shape{size},
                    .entries = options.kept,
                    .after = ring,
                    .differentiable = differentiable};
  };
  return {newest("k", width, true),       newest("v", width, true),    newest("mass", 1, false),
          kept("kept_k", width, true),    kept("kept_v", width, true), kept("kept_mass", 1, false),
          kept("kept_position", 1, false)};
}

}  // namespace

void TopkCacheOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Int("window", window, {1, kMaxWindow}, "newest tokens that are seen, this one counted");
  visitor.Int("kept", kept, {1, kMaxWindow},
              "tokens before them that are kept: those that have drawn most attention");
}

std::vector<int64_t> TopkCacheOptions::Lengths() const {
  return {window, window + kept, window + 2 * kept};
}

template <Scalar T>
TopkMemory<T>::TopkMemory(const TopkCacheOptions& options, const AttentionHeads& heads,
                          ParameterBuilder&)
    : AttentionMemory<T>(heads, TopkSlots(options, heads.width())),
      shape_{heads.heads, heads.d_head, options.window, options.kept} {}

template <Scalar T>
Outputs<T> TopkMemory<T>::Attend(Tape<T>& tape, Var<T> qkv, AttentionView<T> view,
                                 const Clock& clock, std::span<const Var<T>> state,
                                 Want want) const {
  TopkState<T> before;
  if (!clock.fresh) {
    before = {state[0], state[1], state[2], state[3], state[4], state[5], state[6]};
  }
  view.window = shape_.window;
  const TopkOutputs<T> out = TopkAttention(tape, qkv, before, shape_.kept, view, clock);
  Outputs<T> outputs{out.y, {}};
  if (want == Want::kOutput) return outputs;
  outputs.next = tape.NewVars(7);
  const TopkState<T>& next = out.next;
  const Var<T> slots[] = {next.k,      next.v,         next.mass,         next.kept_k,
                          next.kept_v, next.kept_mass, next.kept_position};
  std::ranges::copy(slots, outputs.next.begin());
  return outputs;
}

template <Scalar T>
void TopkMemory<T>::Step(const AttentionToken<T>& token, std::span<Slot<T>> state, T* y) const {
  const auto row = [&](size_t slot) {
    Array<T>& data = state[slot].data;
    return data.data() + token.row * (data.size() / data.shape()[0]);
  };
  const kernels::TopkMemory<T> memory{row(0), row(1), row(2), row(3), row(4), row(5), row(6)};
  kernels::TopkToken<T>(shape_, {token.position, token.qkv, token.bias, kernels::kTopkFree}, memory,
                        y, {}, token.scratch);
}

template class TopkMemory<float>;
template class TopkMemory<double>;

}  // namespace ssm
