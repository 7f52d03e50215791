// Cache types against full attention and against numbers worked out by hand.
#include <doctest/doctest.h>

#include <cmath>

#include "mixers/attention_harness.h"
#include "ssm/mixers/attention_pooled.h"
#include "ssm/mixers/attention_sink.h"
#include "ssm/mixers/attention_topk.h"

namespace ssm::test {
namespace {

AttentionOptions Sinks(int64_t sinks, int64_t window) {
  AttentionOptions options = Full();
  auto* cache = dynamic_cast<SinkCacheOptions*>(options.cache.Select("sink_window"));
  cache->sinks = sinks;
  cache->window = window;
  return options;
}

AttentionOptions Pooled(int64_t window, int64_t every, PoolKind pool) {
  AttentionOptions options = Full();
  auto* cache = dynamic_cast<PooledCacheOptions*>(options.cache.Select("pooled"));
  cache->window = window;
  cache->every = every;
  cache->pool = pool;
  return options;
}

AttentionOptions Topk(int64_t window, int64_t kept) {
  AttentionOptions options = Full();
  auto* cache = dynamic_cast<TopkCacheOptions*>(options.cache.Select("topk"));
  cache->window = window;
  cache->kept = kept;
  return options;
}

/// Output of a fresh pass, and of the pass that goes on from its state.
std::vector<double> TwoPasses(AttentionOptions options, PositionKind positions, int64_t first,
                              int64_t second) {
  options.positions = positions;
  Attentive attentive(options);
  State<double> state = attentive.Fresh();
  std::vector<double> result;
  for (const int64_t steps : {first, second}) {
    const Pass pass(attentive, Draw({kRows, steps, kModel}, static_cast<uint64_t>(steps)), Copying,
                    state);
    result.insert(result.end(), pass.y().begin(), pass.y().end());
    Read(pass.tape, {pass.out.next, pass.clock.after}, state);
  }
  return result;
}

TEST_CASE("caches that hold every token are full attention, whatever the positions") {
  constexpr int64_t kFirst = 5, kSecond = 8, kAll = kFirst + kSecond;
  for (const PositionKind positions : {PositionKind::kNone, PositionKind::kRotary,
                                       PositionKind::kAlibi, PositionKind::kLearnedRelative}) {
    const std::vector<double> full = TwoPasses(Full(), positions, kFirst, kSecond);
    CheckNear(TwoPasses(Window(kAll), positions, kFirst, kSecond), full);
    CheckNear(TwoPasses(Sinks(4, kAll - 4), positions, kFirst, kSecond), full);
    CheckNear(TwoPasses(Sinks(kAll - 1, 1), positions, kFirst, kSecond), full);
    CheckNear(TwoPasses(Pooled(kAll, 3, PoolKind::kMean), positions, kFirst, kSecond), full);
    CheckNear(TwoPasses(Pooled(kAll, 2, PoolKind::kConv), positions, kFirst, kSecond), full);
    CheckNear(TwoPasses(Topk(3, kAll - 3), positions, kFirst, kSecond), full);
    CheckNear(TwoPasses(Topk(1, kAll), positions, kFirst, kSecond), full);
  }
}

TEST_CASE("taps start as a mean") {
  CheckNear(TwoPasses(Pooled(2, 3, PoolKind::kConv), PositionKind::kRotary, 7, 9),
            TwoPasses(Pooled(2, 3, PoolKind::kMean), PositionKind::kRotary, 7, 9));
}

/// One head of one channel: what a memory answers to tokens of queries 1.
template <class Memory, class Options>
std::vector<double> Answers(const Options& options, std::span<const double> k,
                            std::span<const double> v) {
  ParameterStore store;
  ParameterBuilder builder(store, 1);
  const Memory memory(options, {.heads = 1, .d_head = 1, .rotary_base = 0}, builder);
  const State<double> fresh = MakeState<double>(memory.Slots(), 1);
  Tape<double> tape(Mode::kInfer);
  const int64_t steps = std::ssize(k);
  Array<double> qkv(Shape{1, steps, 3});
  for (int64_t t = 0; t < steps; ++t) {
    qkv[3 * t] = 1;
    qkv[3 * t + 1] = k[static_cast<size_t>(t)];
    qkv[3 * t + 2] = v[static_cast<size_t>(t)];
  }
  const TapeState<double> before = Watch(tape, fresh);
  const Clock clock = MakeClock(tape, before.steps, steps, nullptr, nullptr);
  const Outputs<double> out =
      memory.Attend(tape, tape.Bind(qkv.shape(), qkv.data()), AttentionView<double>{.heads = 1},
                    clock, before.slots, Want::kOutput);
  return {tape.value(out.y), tape.value(out.y) + steps};
}

TEST_CASE("pooled: a group becomes one entry when the window has left it, not before") {
  PooledCacheOptions options;
  options.window = 2;
  options.every = 2;
  const double k[] = {0, 0, 0, 0, 0, 0, 0}, v[] = {0, 1, 2, 3, 4, 5, 6};
  const std::vector<double> y = Answers<PooledMemory<double>>(options, k, v);
  CHECK(y[1] == doctest::Approx(0.5));
  CHECK(y[2] == doctest::Approx(1));                      // token 0 waits for token 1
  CHECK(y[3] == doctest::Approx((0.5 + 2 + 3) / 3));      // 0 and 1 are one entry
  CHECK(y[4] == doctest::Approx((0.5 + 2 + 3 + 4) / 4));  // token 2 waits
  CHECK(y[6] == doctest::Approx((0.5 + 2.5 + 4 + 5 + 6) / 5));
}

TEST_CASE("pooled: the mean of equal tokens is that token") {
  PooledCacheOptions options;
  options.window = 1;
  options.every = 3;
  // Keys ln 2 for the first three, then 0: the entry weighs 2, once.
  const double two = std::log(2.0);
  const double k[] = {two, two, two, 0}, v[] = {5, 5, 5, 1};
  const std::vector<double> y = Answers<PooledMemory<double>>(options, k, v);
  CHECK(y[2] == doctest::Approx(5));
  CHECK(y[3] == doctest::Approx((2 * 5.0 + 1) / 3));
}

TEST_CASE("sink_window: the first tokens and the newest") {
  SinkCacheOptions options;
  options.sinks = 1;
  options.window = 2;
  const double k[] = {0, 0, 0, 0, 0}, v[] = {1, 2, 4, 8, 16};
  const std::vector<double> y = Answers<SinkMemory<double>>(options, k, v);
  CHECK(y[1] == doctest::Approx(1.5));
  CHECK(y[2] == doctest::Approx(7.0 / 3));
  CHECK(y[4] == doctest::Approx(25.0 / 3));
}

TEST_CASE("topk: what has drawn most attention stays") {
  TopkCacheOptions options;
  options.window = 2;
  options.kept = 1;
  // Token 2 draws e^3 times what others draw: it takes the place of token 0, and nothing takes its.
  const double k[] = {0, 0, 3, 0, 0, 0, 0}, v[] = {1, 2, 4, 8, 16, 32, 64};
  const std::vector<double> y = Answers<TopkMemory<double>>(options, k, v);
  const double e3 = std::exp(3.0);
  CHECK(y[1] == doctest::Approx(1.5));
  CHECK(y[2] == doctest::Approx((1 + 2 + 4 * e3) / (2 + e3)));   // 0 kept
  CHECK(y[3] == doctest::Approx((1 + 4 * e3 + 8) / (2 + e3)));   // 1 had drawn less than 0
  CHECK(y[4] == doctest::Approx((4 * e3 + 8 + 16) / (2 + e3)));  // 2 instead of 0
  CHECK(y[6] == doctest::Approx((4 * e3 + 32 + 64) / (2 + e3)));
}

TEST_CASE("live bytes follow the policies") {
  const auto bytes = [](const AttentionOptions& options, int64_t steps) {
    State<double> state = Attentive(options).Fresh();
    std::ranges::fill(state.steps, steps);
    state.Reserve(0);
    return state.LiveBytes() / kRows / static_cast<int64_t>(sizeof(double));
  };
  constexpr int64_t kEntry = 2 * kModel;  // k and v
  CHECK(bytes(Full(), 1000) == 1000 * kEntry);
  CHECK(bytes(Window(10), 1000) == 9 * kEntry);
  CHECK(bytes(Sinks(4, 10), 1000) == 13 * kEntry);
  CHECK(bytes(Sinks(4, 10), 2) == 4 * kEntry);
  CHECK(bytes(Pooled(10, 5, PoolKind::kMean), 1009) == (13 + 200) * kEntry);
  CHECK(bytes(Pooled(10, 5, PoolKind::kMean), 1013) == (13 + 200) * kEntry);
  CHECK(bytes(Topk(10, 6), 1000) == (9 + 6) * kEntry + 9 + 2 * 6);
}

}  // namespace
}  // namespace ssm::test
