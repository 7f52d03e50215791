#include "ssm/kernels/delta_rule.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "support/numbers.h"

namespace ssm::kernels {
namespace {

/// One row of one head.
template <class T>
struct Memory {
  DeltaRuleShape shape;
  std::vector<T> qkv, beta, log_decay, s, y;
  std::vector<int64_t> pos;

  Memory(int64_t steps, int64_t d_key, int64_t d_value, int64_t chunk) {
    shape = {
        .rows = 1, .steps = steps, .heads = 1, .d_key = d_key, .d_value = d_value, .chunk = chunk};
    qkv.resize(static_cast<size_t>(steps * shape.width()));
    beta.resize(static_cast<size_t>(steps));
    s.resize(static_cast<size_t>(shape.state()));
    y.resize(static_cast<size_t>(steps * d_value));
    pos.resize(static_cast<size_t>(steps));
    std::iota(pos.begin(), pos.end(), 1);
  }
  T* query(int64_t t) { return qkv.data() + t * shape.width(); }
  T* key(int64_t t) { return query(t) + shape.d_key; }
  T* value(int64_t t) { return key(t) + shape.d_key; }

  /// All tokens from the state `s` on.
  void Run() {
    shape.pos = pos.data();
    std::vector<T> scratch(static_cast<size_t>(DeltaRuleScratch<T>(shape)));
    DeltaRule<T>(shape, qkv.data(), beta.data(), log_decay.empty() ? nullptr : log_decay.data(),
                 s.data(), y.data(), nullptr, scratch.data());
  }
  /// The same token by token.
  void Walk() {
    std::vector<T> scratch(static_cast<size_t>(shape.d_value));
    for (int64_t t = 0; t < shape.steps; ++t) {
      DeltaRuleStep<T>(shape, pos[static_cast<size_t>(t)], query(t), beta.data() + t,
                       log_decay.empty() ? nullptr : log_decay.data() + t, s.data(),
                       y.data() + t * shape.d_value, scratch.data());
    }
  }
  /// Keys of length `length` in random directions, random queries and values.
  void Draw(double length, uint64_t seed) {
    const std::vector<T> numbers = test::Numbers<T>(shape.steps * shape.width(), seed);
    qkv = numbers;
    for (int64_t t = 0; t < shape.steps; ++t) {
      double square = 0;
      for (int64_t i = 0; i < shape.d_key; ++i) square += std::pow(key(t)[i], 2);
      for (int64_t i = 0; i < shape.d_key; ++i) {
        key(t)[i] = static_cast<T>(length * key(t)[i] / std::sqrt(square));
      }
    }
  }
  double Length() const {
    double square = 0;
    for (const T x : s) square += static_cast<double>(x) * x;
    return std::sqrt(square);
  }
};

TEST_CASE("three writes of the delta rule, computed by hand") {
  const double keys[3][2] = {{1, 0}, {0.6, 0.8}, {1, 0}}, values[] = {1, 2, 5},
               betas[] = {1, 0.5, 1}, states[3][2] = {{1, 0}, {1.42, 0.56}, {5, 0.56}};
  for (const int64_t chunk : {1, 2, 64}) {
    for (const int64_t steps : {1, 2, 3}) {
      for (const bool walks : {false, true}) {
        Memory<double> memory(steps, 2, 1, chunk);
        std::iota(memory.pos.begin(), memory.pos.end(), 0);
        memory.s = {-7, 3};  // a start forgets it
        for (int64_t t = 0; t < steps; ++t) {
          std::copy_n(keys[t], 2, memory.key(t));
          memory.value(t)[0] = values[t];
          memory.beta[static_cast<size_t>(t)] = betas[t];
        }
        walks ? memory.Walk() : memory.Run();
        CHECK(memory.s[0] == doctest::Approx(states[steps - 1][0]).epsilon(1e-14));
        CHECK(memory.s[1] == doctest::Approx(states[steps - 1][1]).epsilon(1e-14));
      }
    }
  }
}

TEST_CASE("along a key the memory is multiplied by 1 - beta |k|^2 at each token") {
  for (const double product : {0.0, 0.3, 1.0, 1.9, 2.0, 2.56}) {
    CAPTURE(product);
    for (const bool walks : {false, true}) {
      Memory<double> memory(50, 3, 1, 16);
      const double key[] = {1, -2, 2};  // |k| = 3
      for (int64_t t = 0; t < 50; ++t) {
        std::copy_n(key, 3, memory.key(t));
        memory.beta[static_cast<size_t>(t)] = product / 9;
      }
      memory.s = {1, -2, 2};
      walks ? memory.Walk() : memory.Run();
      const double factor = std::pow(1 - product, 50);  // 4.5e9 for 2.56: not stable
      for (size_t i = 0; i < 3; ++i) {
        CHECK(memory.s[i] == doctest::Approx(factor * key[i]).epsilon(1e-11));
      }
    }
  }
}

TEST_CASE_TEMPLATE("with beta 2 and unit keys nothing is lost or gained in 20000 reflections", T,
                   float, double) {
  for (const bool walks : {false, true}) {
    Memory<T> memory(20000, 8, 5, 64);
    memory.Draw(1, 3);
    for (int64_t t = 0; t < memory.shape.steps; ++t) std::fill_n(memory.value(t), 5, T{0});
    std::fill(memory.beta.begin(), memory.beta.end(), T{2});
    memory.s = test::Numbers<T>(40, 4);
    const double before = memory.Length();
    walks ? memory.Walk() : memory.Run();
    const double after = memory.Length();
    CHECK(after == doctest::Approx(before).epsilon(std::is_same_v<T, float> ? 2e-3 : 1e-11));
  }
}

TEST_CASE("beta 1 and orthogonal keys: each key keeps its newest value, exactly") {
  Memory<double> memory(37, 4, 2, 8);
  for (int64_t t = 0; t < 37; ++t) {
    memory.key(t)[t % 4] = 1;
    memory.query(t)[(t + 1) % 4] = 1;  // asks for what was written three tokens ago
    memory.value(t)[0] = static_cast<double>(t);
    memory.value(t)[1] = static_cast<double>(-t * t);
    memory.beta[static_cast<size_t>(t)] = 1;
  }
  memory.Run();
  for (int64_t t = 0; t < 37; ++t) {
    const double then = t < 3 ? 0 : static_cast<double>(t - 3);
    CHECK(memory.y[static_cast<size_t>(2 * t)] == then);
    CHECK(memory.y[static_cast<size_t>(2 * t + 1)] == -then * then);
  }
}

TEST_CASE("in single precision a token that forgets all costs the others no digits") {
  Memory<float> chunked(64, 4, 3, 64);
  chunked.Draw(0.9, 5);
  std::fill(chunked.beta.begin(), chunked.beta.end(), 0.7f);
  chunked.log_decay.assign(64, -1e-3f);
  chunked.log_decay[9] = -1e7f;
  chunked.s = test::Numbers<float>(12, 6);
  Memory<double> exact(64, 4, 3, 64);
  exact.qkv.assign(chunked.qkv.begin(), chunked.qkv.end());
  exact.beta.assign(chunked.beta.begin(), chunked.beta.end());
  exact.log_decay.assign(chunked.log_decay.begin(), chunked.log_decay.end());
  exact.s.assign(chunked.s.begin(), chunked.s.end());
  chunked.Run();
  exact.Walk();
  double scale = 0;
  for (const double y : exact.y) scale = std::max(scale, std::abs(y));
  for (size_t i = 0; i < exact.y.size(); ++i) {
    CHECK(std::abs(static_cast<double>(chunked.y[i]) - exact.y[i]) < 2e-6 * scale);
  }
}

TEST_CASE("at usual sizes more than 70 % of the arithmetic is in products") {
  for (const int64_t width : {16, 32, 64, 128}) {
    for (const bool decays : {false, true}) {
      const DeltaRuleShape shape{
          .rows = 2, .steps = 1000, .heads = 4, .d_key = width, .d_value = width};
      const DeltaRuleFlops flops = CountDeltaRule(shape, decays);
      CHECK(flops.products > (width < 32 ? 0.75 : 0.85) * flops.all);
      CHECK(flops.products < flops.all);
    }
  }
}

}  // namespace
}  // namespace ssm::kernels
