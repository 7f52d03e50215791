#include "ssm/mixers/attention_int8.h"

#include <algorithm>

#include "ssm/autograd/ops/int8_heads.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/int8_heads.h"

namespace ssm {
namespace {

std::vector<SlotSpec> Int8Slots(const AttentionHeads& heads) {
  std::vector<SlotSpec> slots = KeyValueSlots(
      {.name = "k", .kind = SlotKind::kGrowing, .entry = Shape{heads.width()}, .scalar_bytes = 1});
  for (const char* name : {"k_scale", "v_scale"}) {
    slots.push_back({.name = name,
                     .kind = SlotKind::kGrowing,
                     .entry = Shape{heads.heads},
                     .differentiable = false});
  }
  return slots;
}

}  // namespace

template <Scalar T>
Int8Memory<T>::Int8Memory(const Int8CacheOptions&, const AttentionHeads& heads, ParameterBuilder&)
    : AttentionMemory<T>(heads, Int8Slots(heads)) {}

template <Scalar T>
Outputs<T> Int8Memory<T>::Attend(Tape<T>& tape, Var<T> qkv, AttentionView<T> view,
                                 const Clock& clock, std::span<const Var<T>> state,
                                 Want want) const {
  const int64_t width = this->heads_.width(), heads = this->heads_.heads;
  const RoundedHeads<T> now = RoundHeads(tape, qkv, {width, 2 * width}, this->heads_.d_head);
  Var<T> k, v;
  if (!clock.fresh) {
    k = ScaleHeads(tape, state[0], state[2]);
    v = ScaleHeads(tape, state[1], state[3]);
  }
  Outputs<T> outputs{Attention(tape, now.y, k, v, view, clock), {}};
  if (want == Want::kOutput) return outputs;
  outputs.next = tape.NewVars(4);
  for (const int64_t i : {0, 1}) {
    const auto code = static_cast<size_t>(i), scale = code + 2;
    outputs.next[code] = CacheAppend(tape, now.codes, {i * width, width}, state[code], clock);
    outputs.next[scale] = CacheAppend(tape, now.scales, {i * heads, heads}, state[scale], clock);
  }
  return outputs;
}

template <Scalar T>
void Int8Memory<T>::Step(const AttentionToken<T>& token, std::span<Slot<T>> state, T* y) const {
  const int64_t width = this->heads_.width(), heads = this->heads_.heads;
  const int64_t room = state[0].data.shape()[1], position = token.position;
  SSM_CHECK(position < room,
            "a growing cache has no room for the token: its owner reserves before each step");
  T *codes = token.scratch, *scales = codes + 2 * width, *keys = token.qkv + width;
  const kernels::Int8Shape shape{1, 2 * width, 2 * heads, this->heads_.d_head};
  kernels::HeadScales(shape, keys, scales);
  kernels::HeadRounding(shape, keys, scales, codes);
  kernels::HeadCodes(shape, keys, scales, codes, codes);
  kernels::HeadValues(shape, codes, scales, keys);

  const auto row = [&](size_t slot, int64_t size) {
    return state[slot].data.data() + token.row * room * size;
  };
  T *k = row(0, width), *v = row(1, width), *k_scale = row(2, heads), *v_scale = row(3, heads);
  const kernels::KeyRun<T> runs[] = {{position, k, v, position, 1, k_scale, v_scale}};
  kernels::AttendToken<T>(heads, this->heads_.d_head, token.bias, token.qkv, runs, y);
  std::copy_n(codes, width, k + position * width);
  std::copy_n(codes + width, width, v + position * width);
  std::copy_n(scales, heads, k_scale + position * heads);
  std::copy_n(scales + heads, heads, v_scale + position * heads);
}

template class Int8Memory<float>;
template class Int8Memory<double>;

}  // namespace ssm
