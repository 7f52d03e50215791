#include "ssm/analysis/state_cost.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "ssm/config/config_file.h"

namespace ssm {
namespace {

constexpr int64_t kModel = 8;

/// A layer of 8 channels after a linear encoder of one input.
std::vector<StateCostPoint> Cost(const std::string& mixer, std::span<const int64_t> steps) {
  static const MixerRegistry registry = [] {
    MixerRegistry all;
    RegisterMixers(all);
    return all;
  }();
  ModelOptions options(registry);
  ReadConfigText(R"({"d_model": 8, "layers": 1, "block": {"mixer": )" + mixer + "}}", "test", {},
                 options);
  const SequenceModel<float> model(options, {.reals = 1, .tokens = {}, .outputs = 1}, 1,
                                   InitialValues::kLayout);
  const std::vector<StateCostPoint> points = StateCost(model, steps);
  for (const StateCostPoint& point : points) {
    State<float> state = model.InitialState(1);
    state.steps[0] = point.steps;
    state.Reserve(0);
    CHECK(point.bytes == static_cast<double>(state.LiveBytes()));
  }
  return points;
}

std::string Attention(const std::string& cache) {
  return R"({"type": "attention", "heads": 2, "cache": )" + cache + "}";
}

TEST_CASE("a full cache costs a key and a value a token, and 4 D FLOPs for each") {
  const std::vector<int64_t> steps = {1, 2, 1000};
  const std::vector<StateCostPoint> cost = Cost(Attention(R"({"type": "full"})"), steps);
  CHECK(cost[0].bytes == 2 * kModel * 4);
  CHECK(cost[2].bytes == 1000 * 2 * kModel * 4);
  CHECK(cost[1].flops - cost[0].flops == 4 * kModel);
  CHECK(cost[2].flops - cost[0].flops == 999 * 4 * kModel);
}

TEST_CASE("an int8 cache costs a byte a number and a scale a head of key and of value") {
  const std::vector<int64_t> steps = {1, 1000};
  const std::vector<StateCostPoint> cost = Cost(Attention(R"({"type": "int8"})"), steps);
  constexpr double kToken = 2 * kModel + 2 * 2 * 4;
  CHECK(cost[0].bytes == kToken);
  CHECK(cost[1].bytes == 1000 * kToken);
}

TEST_CASE("bounded caches and recurrent layers cost the same for ever") {
  const std::vector<int64_t> steps = {64, 65, 100'000'000};
  for (const std::string& mixer :
       {Attention(R"({"type": "window", "window": 16})"),
        Attention(R"({"type": "sink_window", "sinks": 4, "window": 16})"),
        Attention(R"({"type": "topk", "window": 16, "kept": 8})"),
        std::string(R"({"type": "gru"})"), std::string(R"({"type": "s4d"})")}) {
    CAPTURE(mixer);
    const std::vector<StateCostPoint> cost = Cost(mixer, steps);
    CHECK(cost[1].bytes == cost[0].bytes);
    CHECK(cost[2].bytes == cost[0].bytes);
    CHECK(cost[2].flops == cost[0].flops);
  }
}

TEST_CASE("a pooled cache grows by one entry every so many tokens") {
  // 3 + 10 tokens and 1,000 groups of 10; then the same groups and one more.
  const std::vector<int64_t> steps = {10'003, 10'012, 10'013};
  const std::vector<StateCostPoint> cost =
      Cost(Attention(R"({"type": "pooled", "window": 4, "every": 10})"), steps);
  constexpr double kEntry = 2 * kModel * 4;
  CHECK(cost[0].bytes == (12 + 1000) * kEntry);
  CHECK(cost[1].bytes == cost[0].bytes);
  CHECK(cost[2].bytes == cost[0].bytes + kEntry);
}

TEST_CASE("steps of a cost curve") {
  CHECK(CostSteps(1) == std::vector<int64_t>{1});
  CHECK(CostSteps(5) == std::vector<int64_t>{1, 2, 4, 5});
  CHECK(CostSteps(8) == std::vector<int64_t>{1, 2, 4, 8});
}

}  // namespace
}  // namespace ssm
