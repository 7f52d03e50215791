// Where Mamba starts, and what it is made of.
#include "ssm/mixers/mamba.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ssm/config/config_file.h"

namespace ssm {
namespace {

MambaOptions Options(const char* json) {
  MambaOptions options;
  ReadConfigText(json, "the test's mixer", {}, options);
  return options;
}

/// The parameters of the last of four layers of `d_model` channels, as drawn.
ParameterStore Drawn(const MambaOptions& options, int64_t d_model) {
  ParameterStore store;
  ParameterBuilder builder(store, 11);
  options.BuildDouble({.d_model = d_model, .layer = 3, .layers = 4}, builder);
  return store;
}

std::span<const double> Initial(const ParameterStore& store, const char* name) {
  const ParameterInfo* info = store.Find(name);
  REQUIRE(info != nullptr);
  return std::span(store.initial())
      .subspan(static_cast<size_t>(info->param.offset),
               static_cast<size_t>(info->param.shape.size()));
}

double Largest(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

std::map<std::string, Shape> Shapes(const ParameterStore& store) {
  std::map<std::string, Shape> shapes;
  for (const ParameterInfo& info : store.infos()) shapes[info.name] = info.param.shape;
  return shapes;
}

TEST_CASE("the published tensors, and what of them decays") {
  const ParameterStore store = Drawn(Options("{}"), 40);
  const std::map<std::string, Shape> expected = {
      {"in_proj.weight", {160, 40}}, {"conv1d.weight", {80, 4}},
      {"conv1d.bias", {80}},         {"x_proj.weight", {35, 80}},
      {"dt_proj.weight", {80, 3}},   {"dt_proj.bias", {80}},
      {"A_log", {80, 16}},           {"D", {80}},
      {"out_proj.weight", {40, 80}}};
  CHECK(Shapes(store) == expected);
  for (const char* name : {"A_log", "D", "dt_proj.bias"}) {
    CHECK(store.Find(name)->group == "ssm");
    CHECK(!store.Find(name)->decay);
  }
  CHECK(store.Find("in_proj.weight")->decay);
}

TEST_CASE("initial values are Mamba's") {
  const ParameterStore store = Drawn(Options("{}"), 400);
  const auto a_log = Initial(store, "A_log");
  for (size_t i = 0; i < a_log.size(); ++i) {
    CHECK(a_log[i] == doctest::Approx(std::log(static_cast<double>(i % 16 + 1))).epsilon(1e-14));
  }
  CHECK(std::ranges::all_of(Initial(store, "D"), [](double d) { return d == 1; }));
  // softplus of the bias is log-uniform between 0.001 and 0.1: mean log -4.605, deviation 1.329.
  double mean = 0, least = 1, most = 0;
  for (const double bias : Initial(store, "dt_proj.bias")) {
    const double dt = std::log1p(std::exp(bias));
    mean += std::log(dt) / 800;
    least = std::min(least, dt);
    most = std::max(most, dt);
  }
  CHECK(least >= 1e-3 * (1 - 1e-9));
  CHECK(most <= 0.1 * (1 + 1e-9));
  CHECK(std::abs(mean + 4.605) < 4 * 1.329 / std::sqrt(800));
  // Bounds of uniform draws; 10,000 of them come within a hundredth.
  const auto near = [&](const char* name, double bound) {
    CAPTURE(name);
    CHECK(Largest(Initial(store, name)) <= bound);
    CHECK(Largest(Initial(store, name)) > 0.99 * bound);
  };
  near("in_proj.weight", 1 / std::sqrt(400.0));
  near("conv1d.weight", 0.5);
  near("x_proj.weight", 1 / std::sqrt(800.0));
  near("dt_proj.weight", 1 / std::sqrt(25.0));
  near("out_proj.weight", 0.5 / std::sqrt(800.0));
}

TEST_CASE("the inverse softplus of three steps, and the floor below") {
  const auto bias = [](double dt, double floor) {
    return DtRange{.least = dt, .most = dt}.SoftplusRange("b", floor).low;
  };
  CHECK(bias(1e-3, 1e-4) == doctest::Approx(-6.9072552373).epsilon(1e-10));
  CHECK(bias(0.1, 1e-4) == doctest::Approx(-2.2521684610).epsilon(1e-10));
  CHECK(bias(1e-4, 1e-4) == doctest::Approx(-9.2102903716).epsilon(1e-10));
  CHECK(bias(1e-6, 1e-4) == doctest::Approx(-9.2102903716).epsilon(1e-10));
}

TEST_CASE("the time-invariant twin has about as many parameters") {
  const int64_t selective = Drawn(Options("{}"), 64).count();
  const int64_t fixed = Drawn(Options(R"({"selective": false})"), 64).count();
  CHECK(static_cast<double>(std::abs(selective - fixed)) < 0.05 * static_cast<double>(selective));
}

TEST_CASE("a state is as large whatever its numbers are") {
  for (const char* json : {R"({"d_state": 6})", R"({"d_state": 6, "complex": true})"}) {
    ParameterStore store;
    ParameterBuilder builder(store, 1);
    const auto mixer = Options(json).BuildDouble({.d_model = 5}, builder);
    const auto& slots = mixer->Slots();
    REQUIRE(slots.size() == 2);
    CHECK(slots[0].kind == SlotKind::kRing);
    CHECK(slots[0].entries * slots[0].entry.size() == 3 * 10);
    CHECK(slots[1].entry.size() == 6 * 10);
  }
}

}  // namespace
}  // namespace ssm
