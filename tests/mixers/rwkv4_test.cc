// What of RWKV-4's layers can be told by hand: how they start, their layout, a token or two. Their
// values are those of tests/reference, their laws those of tests/verify.
#include "ssm/mixers/rwkv4.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "ssm/mixers/rwkv4_channel_mix.h"

namespace ssm {
namespace {

/// The third of a model's six layers, every other of which is of its type.
constexpr MixerContext kMiddle{4, 2, 6, 1, 3};

template <class Options, template <Scalar> class Mixer>
struct Built {
  ParameterStore store;
  ParameterBuilder builder{store, 3};
  Mixer<double> mixer;
  Parameters<double> values;

  explicit Built(const MixerContext& context, const Options& options = {})
      : mixer(options, context, builder), values(store) {}

  std::vector<double> Initial(const char* name) const {
    const auto span = values.values(*store.Find(name));
    return {span.begin(), span.end()};
  }
  void Set(const char* name, const std::vector<double>& numbers) {
    std::ranges::copy(numbers, values.values(*store.Find(name)).begin());
  }
  /// y of one fresh row of one channel.
  std::vector<double> Run(const std::vector<double>& x) {
    values.Touch();
    Tape<double> tape(Mode::kInfer, values.View());
    const int64_t steps = static_cast<int64_t>(x.size()), before = 0;
    const Clock clock = MakeClock(tape, std::span(&before, 1), steps, nullptr, nullptr);
    const Inputs<double> in{tape.Bind({1, steps, 1}, x.data()), &clock, {}, 1, {}};
    const std::vector<Var<double>> state(mixer.Slots().size());
    const Outputs<double> out = mixer.Forward(tape, in, state, {}, Want::kOutput);
    return {tape.value(out.y), tape.value(out.y) + steps};
  }
};
using TimeMix = Built<Rwkv4Options, Rwkv4>;
using ChannelMix = Built<Rwkv4ChannelMixOptions, Rwkv4ChannelMix>;

void CheckNear(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-12));
  }
}

TEST_CASE("time mixing starts as published, its depth counted in layers of its type") {
  const TimeMix built(kMiddle);
  // Layer 1 of 3: 1/2 of the way up, 2/3 of the way down.
  const double step = std::pow(1.0 / 3, 1.35), two = std::pow(2.0 / 3, 1.35);
  CheckNear(built.Initial("time_decay"), {-5, -5 + 8 * step, -5 + 8 * two, 3});
  const double first = std::log(0.3);
  CheckNear(built.Initial("time_first"), {first, first + 0.5, first - 0.5, first});
  const double third = 2.0 / 3, sixth = 1.0 / 3;
  const std::vector<double> k = {0, std::pow(0.25, third), std::pow(0.5, third),
                                 std::pow(0.75, third)};
  CheckNear(built.Initial("time_mix_k"), k);
  CheckNear(built.Initial("time_mix_v"), {0.15, k[1] + 0.15, k[2] + 0.15, k[3] + 0.15});
  CheckNear(built.Initial("time_mix_r"),
            {0, std::pow(0.25, sixth), std::pow(0.5, sixth), std::pow(0.75, sixth)});
  for (const char* zero : {"key.weight", "receptance.weight", "output.weight"}) {
    CHECK(built.Initial(zero) == std::vector<double>(16, 0.0));
  }
  const std::vector<double> value = built.Initial("value.weight");
  CHECK(std::any_of(value.begin(), value.end(), [](double v) { return v != 0; }));
}

TEST_CASE("channel mixing starts as published") {
  const ChannelMix built(kMiddle);
  const double third = 2.0 / 3;
  const std::vector<double> mix = {0, std::pow(0.25, third), std::pow(0.5, third),
                                   std::pow(0.75, third)};
  CheckNear(built.Initial("time_mix_k"), mix);
  CheckNear(built.Initial("time_mix_r"), mix);
  CHECK(built.Initial("receptance.weight") == std::vector<double>(16, 0.0));
  CHECK(built.Initial("value.weight") == std::vector<double>(64, 0.0));
  // 16 x 4, orthogonal columns of length 2.
  const std::vector<double> key = built.Initial("key.weight");
  for (size_t a = 0; a < 4; ++a) {
    for (size_t b = 0; b < 4; ++b) {
      double sum = 0;
      for (size_t row = 0; row < 16; ++row) sum += key[4 * row + a] * key[4 * row + b];
      CHECK(std::abs(sum - (a == b ? 4 : 0)) < 1e-13);
    }
  }
}

TEST_CASE("one layer of one channel starts somewhere too") {
  const TimeMix built({.d_model = 1});
  CHECK(built.Initial("time_decay") == std::vector<double>{-5});
  CHECK(built.Initial("time_mix_k") == std::vector<double>{0});
  CHECK(built.Initial("time_mix_v") == std::vector<double>{0});
  CHECK(ChannelMix({.d_model = 1}).Initial("time_mix_r") == std::vector<double>{0});
}

TEST_CASE("matrices alone are decayed; the rates are of the ssm group") {
  const TimeMix time(kMiddle);
  for (const ParameterInfo& info : time.store.infos()) {
    CAPTURE(info.name);
    CHECK(info.decay == (info.param.shape.rank() == 2));
    CHECK(info.group == (info.name == "time_decay" ? "ssm" : "default"));
  }
  const ChannelMix channel(kMiddle);
  for (const ParameterInfo& info : channel.store.infos()) {
    CAPTURE(info.name);
    CHECK(info.decay == (info.param.shape.rank() == 2));
    CHECK(info.group == "default");
  }
}

TEST_CASE("the state is a token, a mean and a logarithm; of channel mixing a token") {
  std::vector<std::string> names;
  int64_t numbers = 0;
  const TimeMix time(kMiddle);
  for (const SlotSpec& slot : time.mixer.Slots()) {
    names.push_back(slot.name);
    numbers += slot.entries * slot.entry.size();
  }
  CHECK(names == std::vector<std::string>{"x", "mean", "log_weight"});
  CHECK(numbers == 3 * 4);
  const ChannelMix channel(kMiddle);
  REQUIRE(channel.mixer.Slots().size() == 1);
  CHECK(channel.mixer.Slots()[0].entry == Shape{4});
}

TEST_CASE("as published a layer starts by answering nothing, and zero_init false does not") {
  Rwkv4Options drawn;
  drawn.start.zero_init = false;
  CHECK(TimeMix({.d_model = 1}).Run({1, -2, 3}) == std::vector<double>{0, 0, 0});
  CHECK(TimeMix({.d_model = 1}, drawn).Run({1, -2, 3})[1] != 0);
  Rwkv4ChannelMixOptions channel;
  channel.start.zero_init = false;
  CHECK(ChannelMix({.d_model = 1}).Run({1, -2, 3}) == std::vector<double>{0, 0, 0});
  CHECK(ChannelMix({.d_model = 1}, channel).Run({1, -2, 3})[2] != 0);
}

TEST_CASE("two tokens through time mixing of one channel") {
  TimeMix built({.d_model = 1});
  built.Set("time_decay", {0.5});
  built.Set("time_first", {0.25});
  built.Set("time_mix_k", {0.75});
  built.Set("time_mix_v", {1});
  built.Set("time_mix_r", {0});  // sees the token before alone
  built.Set("key.weight", {2});
  built.Set("value.weight", {3});
  built.Set("receptance.weight", {-1});
  built.Set("output.weight", {0.5});
  const std::vector<double> y = built.Run({1, -2});
  // r_0 = 0, v_0 = 3. k_0 = 1.5, k_1 = 2 (-1.5 + 0.25) = -2.5, v_1 = -6, r_1 = -1.
  const double old_weight = std::exp(1.5), new_weight = std::exp(0.25 - 2.5);
  const double wkv = (old_weight * 3 - new_weight * 6) / (old_weight + new_weight);
  CheckNear(y, {0.75, 0.5 * wkv / (1 + std::exp(1.0))});
}

TEST_CASE("two tokens through channel mixing of one channel and two hidden ones") {
  Rwkv4ChannelMixOptions options;
  options.expand = 2;
  ChannelMix built({.d_model = 1}, options);
  built.Set("time_mix_k", {0.5});
  built.Set("time_mix_r", {1});
  built.Set("key.weight", {2, -1});
  built.Set("value.weight", {1, 10});
  built.Set("receptance.weight", {1});
  const std::vector<double> y = built.Run({1, -3});
  // Hidden: 0.5 (2, -1), then (-1) (2, -1): squares of what is positive 1, 0 and 0, 1.
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  CheckNear(y, {sigmoid(1), 10 * sigmoid(-3)});
}

}  // namespace
}  // namespace ssm
