#include "ssm/kernels/relative_attention.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace ssm::test {
namespace {

using kernels::KeyReach;
using kernels::RelativeAttentionArrays;
using kernels::RelativeAttentionShape;

/// One head of as many channels as keys: values are the unit vectors, so y holds the weights.
class Weights {
 public:
  Weights(const KeyReach& reach, int64_t past, int64_t steps, int64_t channels)
      : past_(past), steps_(steps), channels_(channels) {
    for (int64_t t = 0; t < steps; ++t) pos_.push_back(past + t);
    shape_ = {.rows = 1,
              .steps = steps,
              .heads = 1,
              .d_head = channels,
              .reach = reach,
              .entries = past,
              .pos = pos_.data(),
              .scale = 1};
    qkv_.assign(static_cast<size_t>(steps * 3 * channels), 0);
    ring_.assign(static_cast<size_t>(past * 2 * channels), 0);
    for (int64_t j = 0; j < past; ++j) At(ring_, 2 * j + 1, j) = 1;
    for (int64_t t = 0; t < steps; ++t) At(qkv_, 3 * t + 2, past + t) = 1;
  }

  double& Query(int64_t t, int64_t channel) { return At(qkv_, 3 * t, channel); }
  /// y [steps, channels].
  std::vector<double> Run(const double* r, double scale) {
    shape_.scale = scale;
    RelativeAttentionArrays<const double*> in;
    in.qkv = qkv_.data();
    in.ring = past_ > 0 ? ring_.data() : nullptr;
    in.r = r;
    std::vector<double> y(static_cast<size_t>(steps_ * channels_));
    std::vector<double> scratch(
        static_cast<size_t>(kernels::RelativeAttentionScratch<double>(shape_)));
    kernels::RelativeAttention(shape_, in, y.data(), scratch.data());
    return y;
  }

 private:
  double& At(std::vector<double>& rows, int64_t row, int64_t channel) {
    return rows[static_cast<size_t>(row * channels_ + channel)];
  }

  int64_t past_, steps_, channels_;
  std::vector<int64_t> pos_;
  RelativeAttentionShape shape_;
  std::vector<double> qkv_, ring_;
};

TEST_CASE("distances stand where Transformer-XL's shift of X = 0..14, [3, 5], puts them") {
  // q_i . r_d = X[i, 4 - d] = 5 i + 4 - d: what the published code computes before its shift.
  Weights weights({.back = 2, .segment = 4}, 4, 3, 7);
  std::vector<double> r(6 * 7);
  for (size_t d = 0; d < 6; ++d) {
    r[d * 7] = 1;
    r[d * 7 + 1] = 4 - static_cast<double>(d);
  }
  for (int64_t i = 0; i < 3; ++i) {
    weights.Query(i, 0) = 5 * static_cast<double>(i);
    weights.Query(i, 1) = 1;
  }
  const double shifted[3][5] = {{2, 3, 4}, {6, 7, 8, 9}, {10, 11, 12, 13, 14}};
  constexpr double kScale = 0.125;
  const std::vector<double> y = weights.Run(r.data(), kScale);
  for (size_t i = 0; i < 3; ++i) {
    double total = 0;
    for (size_t j = 0; j < i + 3; ++j) total += std::exp(kScale * shifted[i][j]);
    for (size_t j = 0; j < 7; ++j) {
      CAPTURE(i);
      CAPTURE(j);
      // The memory of two tokens are positions 2 and 3.
      const bool seen = j >= 2 && j < i + 5;
      const double expected = seen ? std::exp(kScale * shifted[i][j - 2]) / total : 0;
      CHECK(std::abs(y[i * 7 + j] - expected) <= 1e-10);
    }
  }
}

TEST_CASE("a token sees the keys that its reach says, alike") {
  constexpr int64_t kTokens = 11;
  const auto first_and_count = [&](const KeyReach& reach, int64_t p) {
    Weights weights(reach, 0, kTokens, kTokens);
    const std::vector<double> y = weights.Run(nullptr, 1);
    std::pair<int64_t, int64_t> seen{-1, 0};
    for (int64_t j = 0; j < kTokens; ++j) {
      const double weight = y[static_cast<size_t>(p * kTokens + j)];
      if (weight == 0) continue;
      if (seen.first < 0) seen.first = j;
      ++seen.second;
    }
    for (int64_t j = 0; j < seen.second; ++j) {
      const double weight = y[static_cast<size_t>(p * kTokens + seen.first + j)];
      CHECK(std::abs(weight - 1 / static_cast<double>(seen.second)) <= 1e-15);
    }
    return seen;
  };
  using Seen = std::pair<int64_t, int64_t>;
  // Segments of 4 and a memory of 3: token 9 sees 5, 6 and 7, and 8 and 9 of its own.
  CHECK(first_and_count({.back = 3, .segment = 4}, 9) == Seen{5, 5});
  CHECK(first_and_count({.back = 3, .segment = 4}, 8) == Seen{5, 4});
  CHECK(first_and_count({.back = 3, .segment = 4}, 3) == Seen{0, 4});
  CHECK(first_and_count({.back = 0, .segment = 4}, 9) == Seen{8, 2});
  // The newest 5, itself counted, whatever the segment.
  CHECK(first_and_count({.back = 4, .sliding = true, .segment = 4}, 9) == Seen{5, 5});
  // The 5 before, without itself.
  CHECK(first_and_count({.back = 5, .sliding = true, .self = false}, 9) == Seen{4, 5});
  CHECK(first_and_count({.back = 5, .sliding = true, .self = false}, 2) == Seen{0, 2});
  CHECK(first_and_count({.back = 5, .sliding = true, .self = false}, 0) == Seen{-1, 0});
}

}  // namespace
}  // namespace ssm::test
