// Where s5 and lru start.
#include <doctest/doctest.h>

#include <cmath>

#include "ssm/mixers/lru.h"
#include "ssm/mixers/s5.h"
#include "ssm/systems/hippo.h"

namespace ssm {
namespace {

/// The parameters of a layer of 64 channels as drawn.
template <class Options>
ParameterStore Drawn(const Options& options) {
  ParameterStore store;
  ParameterBuilder builder(store, 11);
  options.BuildDouble({.d_model = 64}, builder);
  return store;
}

std::span<const double> Initial(const ParameterStore& store, const char* name) {
  const ParameterInfo* info = store.Find(name);
  REQUIRE(info != nullptr);
  return std::span(store.initial())
      .subspan(static_cast<size_t>(info->param.offset),
               static_cast<size_t>(info->param.shape.size()));
}

double MeanSquare(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum / static_cast<double>(values.size());
}

TEST_CASE("lru's input gain makes every mode of white input as large as the next") {
  LruOptions options;
  options.d_state = 200;
  const ParameterStore store = Drawn(options);
  const auto nu = Initial(store, "nu_log"), gamma = Initial(store, "gamma_log");
  double mean = 0, low = 1, high = 0;
  for (size_t i = 0; i < nu.size(); ++i) {
    const double radius = std::exp(-std::exp(nu[i]));
    CHECK(std::exp(2 * gamma[i]) == doctest::Approx(1 - radius * radius).epsilon(1e-12));
    mean += radius * radius / 200;
    low = std::min(low, radius);
    high = std::max(high, radius);
  }
  // |lambda|^2 is uniform in (0.81, 0.998001): mean 0.904, deviation 0.0543 / sqrt(200) of it.
  CHECK(std::abs(mean - 0.904) < 4 * 0.0543 / std::sqrt(200));
  CHECK(low > 0.9);
  CHECK(high < 0.999);
  CHECK(MeanSquare(Initial(store, "B")) == doctest::Approx(0.5 / 64).epsilon(0.05));
  CHECK(MeanSquare(Initial(store, "C")) == doctest::Approx(0.5 / 200).epsilon(0.05));
}

TEST_CASE("s5 starts with blocks of LegS's spectrum") {
  S5Options options;
  options.d_state = 48;
  options.blocks = 4;
  const ParameterStore store = Drawn(options);
  const auto frequencies = Initial(store, "A_imag");
  const std::vector<double> block = LegsNormalFrequencies(12);
  REQUIRE(frequencies.size() == 24);
  for (size_t i = 0; i < 24; ++i) CHECK(frequencies[i] == block[i % 6]);
  for (const double decay : Initial(store, "log_A_real")) CHECK(std::exp(decay) == 0.5);
  CHECK(MeanSquare(Initial(store, "B")) == doctest::Approx(0.5 / 48).epsilon(0.1));
  CHECK(MeanSquare(Initial(store, "C")) == doctest::Approx(1.0 / 48).epsilon(0.1));
}

}  // namespace
}  // namespace ssm
