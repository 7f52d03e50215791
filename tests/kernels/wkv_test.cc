#include "ssm/kernels/wkv.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/numbers.h"

namespace ssm::kernels {
namespace {

/// One row of one or more channels from a given state.
template <class T>
struct Run {
  std::vector<T> mean, log_weight, y;

  Run(const std::vector<T>& time_decay, const std::vector<T>& bonus, const std::vector<T>& k,
      const std::vector<T>& v, int64_t first_position = 0) {
    const auto channels = static_cast<int64_t>(time_decay.size());
    const int64_t steps = static_cast<int64_t>(k.size()) / channels;
    mean.assign(time_decay.size(), T{7});  // rubbish that a first token must not read
    log_weight.assign(time_decay.size(), T{7});
    y.assign(k.size(), T{-9});
    std::vector<int64_t> pos;
    for (int64_t t = 0; t < steps; ++t) pos.push_back(first_position + t);
    std::vector<T> rate(time_decay.size());
    WkvRates(channels, time_decay.data(), rate.data());
    Wkv<T>({1, steps, channels, pos.data()}, {rate.data(), bonus.data()}, k.data(), v.data(),
           {mean.data(), log_weight.data()}, y.data(), {});
  }
};

TEST_CASE("five tokens worked out by hand, one of which outweighs all others") {
  const Run<double> run({-1}, {std::log(0.3)}, {0, 1, -1, 80, 2}, {1, 2, 3, 4, 5});
  const double expected[] = {1, 1.449182863712, 1.834745186938, 4, 4};
  for (size_t t = 0; t < 5; ++t) CHECK(std::abs(run.y[t] - expected[t]) < 1e-11);
  // The published state (p, q, o) = (4, 1, 79.63...): mean p / q, log weight o + log q.
  CHECK(std::abs(run.mean[0] - 4) < 1e-10);
  CHECK(std::abs(run.log_weight[0] - 79.632120558829) < 1e-10);
}

TEST_CASE_TEMPLATE("a constant added to every key changes nothing but the log weight", T, float,
                   double) {
  const auto k = test::Numbers<T>(24, 1), v = test::Numbers<T>(24, 2);
  const std::vector<T> decay{-3, 0, 1}, bonus{T(0.2), -1, 0};
  auto shifted = k;
  for (T& key : shifted) key += 512;  // rounds keys of single precision to 6e-5
  const Run<T> a(decay, bonus, k, v), b(decay, bonus, shifted, v);
  const double tolerance = std::is_same_v<T, float> ? 5e-4 : 1e-12;
  for (size_t i = 0; i < a.y.size(); ++i) CHECK(std::abs(a.y[i] - b.y[i]) < tolerance);
  for (size_t c = 0; c < 3; ++c) {
    CHECK(std::abs(b.log_weight[c] - 512 - a.log_weight[c]) < tolerance);
  }
}

TEST_CASE_TEMPLATE("keys of thousands pick a value, and values that agree stay what they are", T,
                   float, double) {
  const std::vector<T> decay{-1}, bonus{0};
  const Run<T> picks(decay, bonus, {0, 5000, -5000, 4000}, {1, 2, 3, 4});
  CHECK(picks.y == std::vector<T>{1, 2, 2, 2});
  CHECK(picks.mean[0] == 2);
  const T third = T(1) / 3;
  const Run<T> agree({-5, -1, 2}, {1, 0, -2}, test::Numbers<T>(300, 3), std::vector<T>(300, third));
  for (T value : agree.y) CHECK(value == third);
  for (T value : agree.mean) CHECK(value == third);
}

TEST_CASE_TEMPLATE("rates at their ends: all of the past alike, or none of it", T, float, double) {
  const std::vector<T> v{4, 1, 4, 3};
  const Run<T> all({-200}, {0}, {0, 0, 0, 0}, v);
  const double epsilon = 4 * std::numeric_limits<T>::epsilon();
  for (size_t t = 0; t < 4; ++t) {
    const double mean[] = {4, 2.5, 3, 3};
    CHECK(static_cast<double>(all.y[t]) == doctest::Approx(mean[t]).epsilon(epsilon));
  }
  CHECK(static_cast<double>(all.log_weight[0]) == doctest::Approx(std::log(4)).epsilon(epsilon));
  const Run<T> none({1000}, {0}, {0, 0, 0, 0}, v);
  CHECK(none.y == std::vector<T>{4, 2.5, 2.5, 3.5});  // the token before, and itself
  CHECK(none.mean[0] == 3);
  CHECK(none.log_weight[0] == 0);
}

TEST_CASE("padding leaves the state alone") {
  std::vector<double> mean{2}, log_weight{-3}, y{9, 9};
  const double rate = 0.5, bonus = 0, k[] = {1, 1}, v[] = {5, 5};
  const int64_t pos[] = {-1, -1};
  Wkv<double>({1, 2, 1, pos}, {&rate, &bonus}, k, v, {mean.data(), log_weight.data()}, y.data(),
              {});
  CHECK(mean[0] == 2);
  CHECK(log_weight[0] == -3);
  CHECK(y == std::vector<double>{0, 0});
}

TEST_CASE(
    "in single precision a slow channel forgets the rounding of its log weight as it does all") {
  constexpr int64_t kSteps = 4096;
  const auto k = test::Numbers<float>(kSteps, 5), v = test::Numbers<float>(kSteps, 6);
  const auto wide = [](const std::vector<float>& x) {
    return std::vector<double>(x.begin(), x.end());
  };
  const Run<float> single({-5}, {-1}, k, v);
  const Run<double> both({-5}, {-1}, wide(k), wide(v));
  // Below 8 a logarithm is rounded by 2.4e-7 at most; each error lasts e^5 = 148 tokens.
  CHECK(both.log_weight[0] < 8);
  double worst = 0;
  for (size_t t = 0; t < kSteps; ++t) worst = std::max(worst, std::abs(single.y[t] - both.y[t]));
  CHECK(worst < 148 * 2.4e-7);
}

}  // namespace
}  // namespace ssm::kernels
