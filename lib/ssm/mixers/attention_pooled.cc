#include "ssm/mixers/attention_pooled.h"

#include <algorithm>

#include "ssm/autograd/ops/cache_write.h"
#include "ssm/autograd/ops/pool_tokens.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/pool_tokens.h"
#include "ssm/kernels/rotary.h"
#include "ssm/mixers/attention_window.h"
#include "ssm/nn/init.h"

namespace ssm {
namespace {

std::vector<SlotSpec> PooledSlots(const PooledCacheOptions& options, int64_t width) {
  std::vector<SlotSpec> slots = RingSlots(options.window + options.every - 2, width);
  for (const SlotSpec& slot : KeyValueSlots({.name = "pooled_k",
                              .kind = SlotKind::kGrowing,
                              .entry = Shape{width},
                              .every = options.every,
                              .after = options.window - 1})) {
    slots.push_back(slot);
  }
  return slots;
}

}  // namespace

void PooledCacheOptions::VisitFields(FieldVisitor& visitor) {
  constexpr int64_t kMostPooled = 1 << 16;
  visitor.Int("window", window, {1, kMaxWindow}, "newest tokens that are seen, this one counted");
  visitor.Int("every", every, {2, kMostPooled}, "tokens that are pooled into one entry");
  visitor.Choice<PoolKind>(
      "pool", pool, {{"mean", PoolKind::kMean}, {"conv", PoolKind::kConv}},
      "mean: of keys and of values; conv: weights by place in the group, learned for each head");
}

std::vector<InitialRange> PooledCacheOptions::Initial() const {
  if (pool == PoolKind::kMean) return {};
  const double mean = 1 / static_cast<double>(every);
  return {{"pool", mean, mean}};
}

std::vector<int64_t> PooledCacheOptions::Lengths() const {
  return {window, window + every, window + 2 * every};
}

template <Scalar T>
PooledMemory<T>::PooledMemory(const PooledCacheOptions& options, const AttentionHeads& heads,
                              ParameterBuilder& parameters)
    : AttentionMemory<T>(heads, PooledSlots(options, heads.width())),
      window_(options.window),
      every_(options.every),
      has_taps_(options.pool == PoolKind::kConv) {
  if (has_taps_) {
    taps_ = parameters.Add("pool", {2, heads.heads, every_},
                           Constant(1 / static_cast<double>(every_)), "default", false);
  }
  if (heads.rotary_base == 0) return;
  std::vector<int64_t> distances;
  for (int64_t j = 0; j < every_; ++j) distances.push_back(every_ - 1 - j);
  turns_.resize(static_cast<size_t>(every_ * heads.d_head));
  kernels::RotaryTable(every_, heads.d_head, distances.data(), heads.rotary_base, turns_.data());
}

template <Scalar T>
Outputs<T> PooledMemory<T>::Attend(Tape<T>& tape, Var<T> qkv, AttentionView<T> view,
                                   const Clock& clock, std::span<const Var<T>> state,
                                   Want want) const {
  const auto before = [&](size_t i) { return clock.fresh ? Var<T>{} : state[i]; };
  const CompletedGroups groups = CompleteGroups(tape, every_, window_, clock);
  const Var<T> pooled =
      PoolTokens(tape, qkv, before(0), before(1), has_taps_ ? tape.Use(taps_) : Var<T>{},
                 this->heads_.heads, this->heads_.rotary_base, groups, clock);
  view.window = window_;
  view.group = every_;
  view.far = PooledKeys(tape, pooled, before(2), before(3), groups, clock);
  Outputs<T> outputs{Attention(tape, qkv, before(0), before(1), view, clock), {}};
  if (want == Want::kOutput) return outputs;
  outputs.next = tape.NewVars(4);
  const CacheTimes times(groups.entries_after, groups.last, clock.continues);
  const int64_t width = this->heads_.width();
  for (size_t i = 0; i < 2; ++i) {
    const CacheColumns columns = i == 0 ? this->KeyColumns() : this->ValueColumns();
    outputs.next[i] = RingWrite(tape, qkv, columns, before(i), window_ + every_ - 2, clock);
    outputs.next[i + 2] =
        CacheAppend(tape, pooled, {static_cast<int64_t>(i) * width, width}, state[i + 2], times);
  }
  return outputs;
}

template <Scalar T>
void PooledMemory<T>::Step(const AttentionToken<T>& token, std::span<Slot<T>> state, T* y) const {
  const RingRow<T> ring(state, token.row, token.position);
  const int64_t width = this->heads_.width(), room = state[2].data.shape()[1];
  const int64_t pooled = Complete(token.position), after = Complete(token.position + 1);
  SSM_CHECK(after <= room,
            "a growing cache has no room for the token: its owner reserves before each step");
  T* k = state[2].data.data() + token.row * room * width;
  T* v = state[3].data.data() + token.row * room * width;
  const auto near = ring.Since(pooled * every_);
  const kernels::KeyRun<T> runs[] = {
      near[0], near[1], {pooled, k, v, token.position - (every_ - 1), every_}};
  kernels::AttendToken<T>(this->heads_.heads, this->heads_.d_head, token.bias, token.qkv, runs, y);
  if (after > pooled) {
    // Before the token takes the place of the group's first.
    const kernels::PoolShape<T> shape{this->heads_.heads, this->heads_.d_head, every_,
                                      turns_.empty() ? nullptr : turns_.data(),
                                      has_taps_ ? token.params.values + taps_.offset : nullptr};
    std::fill_n(token.scratch, 2 * width, T{0});
    for (int64_t j = 0; j < every_; ++j) {
      const int64_t p = pooled * every_ + j;
      const bool now = p == token.position;
      kernels::PoolToken(shape, j, now ? token.qkv + width : ring.k + ring.Offset(p),
                         now ? token.qkv + 2 * width : ring.v + ring.Offset(p), token.scratch);
    }
    std::copy_n(token.scratch, width, k + pooled * width);
    std::copy_n(token.scratch + width, width, v + pooled * width);
  }
  ring.Write(token.qkv);
}

template class PooledMemory<float>;
template class PooledMemory<double>;

}  // namespace ssm
