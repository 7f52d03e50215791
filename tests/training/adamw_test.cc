#include "ssm/training/adamw.h"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "ssm/training/schedule.h"
#include "support/error_of.h"

namespace ssm {
namespace {

using Numbers = std::vector<double>;

ParameterStore TwoGroups() {
  ParameterStore store;
  ParameterBuilder builder(store, 1);
  const Init zeros = [](std::span<double>, Random&) {};
  builder.Add("w", Shape{3, 5}, zeros);
  builder.Add("bias", Shape{5}, zeros, "default", false);
  builder.Add("dt", Shape{40}, zeros, "ssm");
  builder.Add("v", Shape{2}, zeros);
  return store;
}

TEST_CASE("ten steps equal the reference") {
  std::ifstream file(std::string(SSM_SOURCE_DIR) + "/tests/reference/adamw_n12.json");
  const auto json = nlohmann::json::parse(file);
  const auto settings = json["settings"];
  Numbers p = json["inputs"]["p"]["data"];
  const Numbers gradients = json["inputs"]["gradients_in"]["data"];
  const Numbers rates = json["inputs"]["lr"]["data"];
  const Numbers wanted = json["outputs"]["p_after"]["data"];
  Workers workers(2);
  AdamW<double> adamw({{0, 12, 0.01, settings["weight_decay"]}}, 12, settings["beta1"],
                      settings["beta2"], settings["eps"]);
  for (int64_t k = 1; k <= 10; ++k) {
    const double factor = ScheduleFactor(ScheduleKind::kCosine, k, 4, 10);
    CHECK(factor * 0.01 == doctest::Approx(rates[static_cast<size_t>(k - 1)]).epsilon(1e-13));
    const std::span<const double> g(gradients.data() + (k - 1) * 12, 12);
    const double norm = std::sqrt(std::inner_product(g.begin(), g.end(), g.begin(), 0.0));
    adamw.Step(k, factor, ClipFactor(norm, settings["clip"]), g, p, workers);
    for (size_t i = 0; i < 12; ++i) {
      const double want = wanted[static_cast<size_t>(k - 1) * 12 + i];
      CHECK(std::abs(p[i] - want) <= 1e-12);
    }
  }
}

TEST_CASE("ranges follow groups and spare what must not decay") {
  TrainOptions options;
  options.lr = 0.01;
  options.weight_decay = 0.1;
  const ParameterStore store = TwoGroups();
  const auto ranges = ParameterRanges(store, options);
  REQUIRE(ranges.size() == 4);
  CHECK(ranges[0].weight_decay == 0.1);
  CHECK(ranges[1].weight_decay == 0);
  CHECK(ranges[1].lr == 0.01);
  CHECK(ranges[2].lr == 0.001);
  CHECK(ranges[2].weight_decay == 0);
  CHECK(ranges[3].begin == store.Find("v")->param.offset);
  CHECK(ranges[3].end == store.Find("v")->param.offset + 2);
}

TEST_CASE("an unknown group is named with the groups there are") {
  TrainOptions options;
  options.groups.Insert("smm");
  const auto thrown = test::ErrorOf([&] { ParameterRanges(TwoGroups(), options); });
  CHECK(thrown.code == ExitCode::kBadConfig);
  CHECK(thrown.Says("default, ssm"));
  CHECK(thrown.Says("did you mean \"ssm\""));
}

TEST_CASE("a rate of 0 leaves a range as it is, and threads change no bit") {
  constexpr int64_t kSize = 50000;  // several blocks
  const auto run = [&](int threads) {
    Workers workers(threads);
    AdamW<float> adamw({{0, 20000, 0.0, 0.5}, {20000, kSize, 0.1, 0.0}}, kSize, 0.9, 0.999, 1e-8);
    std::vector<float> p(kSize, 1.0f), g(kSize);
    for (size_t i = 0; i < g.size(); ++i) g[i] = std::sin(static_cast<float>(i));
    for (int64_t k = 1; k <= 3; ++k) adamw.Step(k, 1, 0.5f, g, p, workers);
    return p;
  };
  const auto one = run(1);
  CHECK(one[100] == 1.0f);
  CHECK(one[20001] != 1.0f);
  CHECK(run(3) == one);
}

TEST_CASE("clipping") {
  CHECK(ClipFactor(0.5, 1) == 1);
  CHECK(ClipFactor(4, 1) == 1 / (4 + 1e-6));
  CHECK(ClipFactor(4, 0) == 1);
}

}  // namespace
}  // namespace ssm
