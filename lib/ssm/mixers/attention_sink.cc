#include "ssm/mixers/attention_sink.h"

#include <algorithm>

#include "ssm/autograd/ops/cache_write.h"
#include "ssm/mixers/attention_window.h"

namespace ssm {
namespace {

std::vector<SlotSpec> SinkSlots(int64_t sinks, int64_t window, int64_t width) {
  std::vector<SlotSpec> slots = RingSlots(window - 1, width);
  for (const SlotSpec& slot : KeyValueSlots({.name = "sink_k",
                              .kind = SlotKind::kFilling,
                              .entry = Shape{width},
                              .entries = sinks})) {
    slots.push_back(slot);
  }
  return slots;
}

}  // namespace

void SinkCacheOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Int("sinks", sinks, {1, kMaxWindow}, "first tokens of a sequence, which are always seen");
  visitor.Int("window", window, {1, kMaxWindow}, "newest tokens that are seen, this one counted");
}

std::vector<int64_t> SinkCacheOptions::Lengths() const {
  return {window, window + sinks, 2 * window + 1};
}

template <Scalar T>
SinkMemory<T>::SinkMemory(const SinkCacheOptions& options, const AttentionHeads& heads,
                          ParameterBuilder&)
    : AttentionMemory<T>(heads, SinkSlots(options.sinks, options.window, heads.width())),
      sinks_(options.sinks),
      window_(options.window) {}

template <Scalar T>
Outputs<T> SinkMemory<T>::Attend(Tape<T>& tape, Var<T> qkv, AttentionView<T> view,
                                 const Clock& clock, std::span<const Var<T>> state,
                                 Want want) const {
  const auto before = [&](size_t i) { return clock.fresh ? Var<T>{} : state[i]; };
  view.window = window_;
  view.far = SinkKeys(tape, qkv, before(2), before(3), sinks_, window_, clock);
  Outputs<T> outputs{Attention(tape, qkv, before(0), before(1), view, clock), {}};
  if (want == Want::kOutput) return outputs;
  outputs.next = tape.NewVars(4);
  for (size_t i = 0; i < 2; ++i) {
    const CacheColumns columns = i == 0 ? this->KeyColumns() : this->ValueColumns();
    outputs.next[i] = RingWrite(tape, qkv, columns, before(i), window_ - 1, clock);
    outputs.next[i + 2] = FirstWrite(tape, qkv, columns, before(i + 2), sinks_, clock);
  }
  return outputs;
}

template <Scalar T>
void SinkMemory<T>::Step(const AttentionToken<T>& token, std::span<Slot<T>> state, T* y) const {
  const RingRow<T> ring(state, token.row, token.position);
  const int64_t width = this->heads_.width(), position = token.position;
  const int64_t row = token.row * sinks_ * width;
  T *k = state[2].data.data() + row, *v = state[3].data.data() + row;
  const auto near = ring.Since(std::max<int64_t>(position + 1 - window_, 0));
  const int64_t left = std::clamp<int64_t>(position + 1 - window_, 0, sinks_);
  const kernels::KeyRun<T> runs[] = {near[0], near[1], {left, k, v, position}};
  kernels::AttendToken<T>(this->heads_.heads, this->heads_.d_head, token.bias, token.qkv, runs, y);
  ring.Write(token.qkv);
  if (position >= sinks_) return;
  std::copy_n(token.qkv + width, width, k + position * width);
  std::copy_n(token.qkv + 2 * width, width, v + position * width);
}

template class SinkMemory<float>;
template class SinkMemory<double>;

}  // namespace ssm
