#include "ssm/mixers/attention_window.h"

#include <algorithm>

#include "ssm/autograd/ops/cache_write.h"
#include "ssm/base/errors.h"

namespace ssm {

void WindowCacheOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Int("window", window, {1, kMaxWindow}, "newest tokens that are seen, this one counted");
}

std::vector<int64_t> WindowCacheOptions::Lengths() const {
  return {window, 2 * window + 1, kernels::kAttentionChunk};
}

std::vector<SlotSpec> RingSlots(int64_t entries, int64_t width) {
  return KeyValueSlots(
      {.name = "k", .kind = SlotKind::kRing, .entry = Shape{width}, .entries = entries});
}

template <Scalar T>
std::array<kernels::KeyRun<T>, 2> RingRow<T>::Since(int64_t first) const {
  std::array<kernels::KeyRun<T>, 2> runs;
  if (first >= position) return runs;
  const int64_t begin = first % entries, n = position - first;
  const int64_t straight = std::min(n, entries - begin);
  runs[0] = {straight, k + begin * width, v + begin * width, n};
  runs[1] = {n - straight, k, v, n - straight};
  return runs;
}

template <Scalar T>
void RingRow<T>::Write(const T* qkv) const {
  if (entries == 0) return;
  std::copy_n(qkv + width, width, k + Offset(position));
  std::copy_n(qkv + 2 * width, width, v + Offset(position));
}

template <Scalar T>
WindowMemory<T>::WindowMemory(const WindowCacheOptions& options, const AttentionHeads& heads,
                              ParameterBuilder&)
    : AttentionMemory<T>(heads, RingSlots(options.window - 1, heads.width())),
      window_(options.window) {}

template <Scalar T>
WindowMemory<T>::WindowMemory(const FullCacheOptions&, const AttentionHeads& heads,
                              ParameterBuilder&)
    : AttentionMemory<T>(
          heads,
          KeyValueSlots({.name = "k", .kind = SlotKind::kGrowing, .entry = Shape{heads.width()}})),
      window_(0) {}

template <Scalar T>
Outputs<T> WindowMemory<T>::Attend(Tape<T>& tape, Var<T> qkv, AttentionView<T> view,
                                   const Clock& clock, std::span<const Var<T>> state,
                                   Want want) const {
  const Var<T> k = clock.fresh ? Var<T>{} : state[0], v = clock.fresh ? Var<T>{} : state[1];
  view.window = window_;
  Outputs<T> outputs{Attention(tape, qkv, k, v, view, clock), {}};
  if (want == Want::kOutput) return outputs;
  outputs.next = tape.NewVars(2);
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const CacheColumns columns = i == 0 ? this->KeyColumns() : this->ValueColumns();
    outputs.next[i] =
        window_ == 0
            ? CacheAppend(tape, qkv, columns, state[i], clock)
            : RingWrite(tape, qkv, columns, clock.fresh ? Var<T>{} : state[i], window_ - 1, clock);
  }
  return outputs;
}

template <Scalar T>
void WindowMemory<T>::Step(const AttentionToken<T>& token, std::span<Slot<T>> state, T* y) const {
  const RingRow<T> ring(state, token.row, token.position);
  SSM_CHECK(window_ > 0 || token.position < ring.entries,
            "a growing cache has no room for the token: its owner reserves before each step");
  const int64_t live = std::min(token.position, ring.entries);
  // Without a bias order does not matter: one run.
  std::array<kernels::KeyRun<T>, 2> runs = {{{live, ring.k, ring.v}, {}}};
  if (token.bias.any()) runs = ring.Since(token.position - live);
  kernels::AttendToken<T>(this->heads_.heads, this->heads_.d_head, token.bias, token.qkv, runs, y);
  ring.Write(token.qkv);
}

#define SSM_INSTANTIATE(T)    \
  template struct RingRow<T>; \
  template class WindowMemory<T>;
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
