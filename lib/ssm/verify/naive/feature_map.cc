#include "ssm/autograd/ops/feature_map.h"

#include <algorithm>
#include <cmath>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

std::vector<double> NaiveFeatures(FeatureMap map, const std::vector<double>& x) {
  std::vector<double> y;
  if (map == FeatureMap::kTaylor2) y.push_back(1);
  for (const double value : x) {
    switch (map) {
      case FeatureMap::kEluPlusOne:
        y.push_back(value > 0 ? value + 1 : std::exp(value));
        break;
      case FeatureMap::kRelu:
        y.push_back(std::max(value, 0.0));
        break;
      case FeatureMap::kSquaredRelu:
        y.push_back(std::pow(std::max(value, 0.0), 2));
        break;
      case FeatureMap::kIdentity:
      case FeatureMap::kTaylor2:
        y.push_back(value);
        break;
    }
  }
  if (map != FeatureMap::kTaylor2) return y;
  for (const double a : x) {
    for (const double b : x) y.push_back(a * b / std::sqrt(2.0));
  }
  return y;
}

/// x [B, T, W], of which the first heads d columns are mapped.
OpCase FeatureCase(FeatureMap map, const char* what, int64_t steps, int64_t heads, int64_t d) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("feature x", {2, steps, heads * d + 2}));
  return MakeOpCase(
      "feature_map",
      std::string("feature_map ") + what + " T=" + std::to_string(steps) +
          " d=" + std::to_string(d),
      std::move(inputs),
      [=](auto& tape, auto in) { return std::vector{MapFeatures(tape, map, in[0], heads, d)}; },
      [=](std::span<const Array<double>> in) {
        std::vector<Array<double>> y;
        y.emplace_back(Shape{2, steps, heads * kernels::FeatureCount(map, d)});
        double* to = y[0].data();
        for (int64_t token = 0; token < 2 * steps; ++token) {
          for (int64_t h = 0; h < heads; ++h) {
            const double* x = in[0].data() + token * (heads * d + 2) + h * d;
            const std::vector<double> features = NaiveFeatures(map, {x, x + d});
            to = std::copy(features.begin(), features.end(), to);
          }
        }
        return y;
      });
}

constexpr int64_t kHeads = 2, kWidth = 3;

/// m, loss, anchor, last of constants: nothing of it is differentiated.
std::vector<Array<double>> NaiveAnchors(const CaseBatch& batch, const Array<double>& qk,
                                        const Array<double>* before) {
  const int64_t width = kHeads * kWidth;
  const std::vector<int64_t> positions = batch.Positions();
  std::vector<Array<double>> out;
  out.emplace_back(Shape{batch.rows, batch.steps, width});
  out.emplace_back(Shape{batch.rows, batch.steps, width});
  out.emplace_back(Shape{batch.rows, batch.steps, kHeads});
  out.emplace_back(Shape{batch.rows, width});
  for (int64_t b = 0; b < batch.rows; ++b) {
    for (int64_t i = 0; i < width; ++i) {
      double m = before == nullptr ? 0 : (*before)[b * width + i];
      for (int64_t t = b * batch.steps; t < (b + 1) * batch.steps; ++t) {
        const int64_t pos = positions[static_cast<size_t>(t)];
        const double q = qk[t * 2 * width + i], k = qk[t * 2 * width + width + i];
        const double after = pos == 0 ? k : std::max(m, k);
        out[0][t * width + i] = after;
        out[1][t * width + i] = pos == 0 ? 0 : m - after;
        double& anchor = out[2][t * kHeads + i / kWidth];
        anchor = i % kWidth == 0 ? q + after : std::max(anchor, q + after);
        if (pos >= 0) m = after;
      }
      out[3][b * width + i] = m;
    }
  }
  return out;
}

OpCase AnchorCase(const CaseBatch& batch) {
  const int64_t width = kHeads * kWidth;
  const auto qk = Share(NormalArray("anchor qk", {batch.rows, batch.steps, 2 * width}));
  const auto before = Share(NormalArray("anchor before", {batch.rows, width}));
  const bool warm = batch.before[0] > 0;
  return MakeOpCase(
      "exp_anchors", "exp_anchors T=" + std::to_string(batch.steps), {},
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>>) {
        const Clock clock = CaseClock(tape, batch);
        const Var<T> from = warm ? CopyConstant<T>(tape, *before) : Var<T>{};
        const auto out = ExpAnchors(tape, CopyConstant<T>(tape, *qk), kHeads, kWidth, from, clock);
        return std::vector{out.m, out.loss, out.anchor, out.last};
      },
      [=](std::span<const Array<double>>) {
        return NaiveAnchors(batch, *qk, warm ? before.get() : nullptr);
      });
}

OpCase ExpCase(int64_t steps) {
  const int64_t width = kHeads * kWidth;
  const auto m = Share(NormalArray("exp m", {2, steps, width}));
  const auto anchor = Share(NormalArray("exp anchor", {2, steps, kHeads}));
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("exp qk", {2, steps, 2 * width + 1}));
  return MakeOpCase(
      "exp_features", "exp_features T=" + std::to_string(steps), std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        return std::vector{ExpFeatures(tape, in[0], kHeads, kWidth, CopyConstant<T>(tape, *m),
                                       CopyConstant<T>(tape, *anchor))};
      },
      [=](std::span<const Array<double>> in) {
        std::vector<Array<double>> y;
        y.emplace_back(Shape{2, steps, 2 * width});
        for (int64_t t = 0; t < 2 * steps; ++t) {
          for (int64_t i = 0; i < width; ++i) {
            const double* x = in[0].data() + t * (2 * width + 1);
            const double largest = (*m)[t * width + i];
            y[0][t * 2 * width + i] = std::exp(x[i] + largest - (*anchor)[t * kHeads + i / kWidth]);
            y[0][(2 * t + 1) * width + i] = std::exp(x[width + i] - largest);
          }
        }
        return y;
      });
}

OpCase NormalisedCase(const CaseBatch& batch, double eps) {
  const int64_t width = kHeads * (kWidth + 1);
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("normalised read", {batch.rows, batch.steps, width}));
  // Weights away from eps, where the read-out jumps.
  for (int64_t i = kWidth; i < inputs[0].size(); i += kWidth + 1) {
    inputs[0][i] += inputs[0][i] > 0 ? 0.5 : -0.5;
  }
  return MakeOpCase(
      "normalised_read", "normalised_read T=" + std::to_string(batch.steps), std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        return std::vector{NormalisedRead(tape, in[0], kHeads, eps, CaseClock(tape, batch))};
      },
      [=](std::span<const Array<double>> in) {
        std::vector<Array<double>> y;
        y.emplace_back(Shape{batch.rows, batch.steps, kHeads * kWidth});
        for (int64_t i = 0; i < y[0].size(); ++i) {
          const double* read = in[0].data() + i / kWidth * (kWidth + 1);
          if (read[kWidth] > eps) y[0][i] = read[i % kWidth] / (read[kWidth] + eps);
        }
        return y;
      });
}

}  // namespace

std::vector<OpCase> FeatureMapCases() {
  std::vector<OpCase> cases;
  const std::pair<FeatureMap, const char*> maps[] = {{FeatureMap::kEluPlusOne, "elu_plus_one"},
                                                     {FeatureMap::kRelu, "relu"},
                                                     {FeatureMap::kSquaredRelu, "squared_relu"},
                                                     {FeatureMap::kIdentity, "identity"},
                                                     {FeatureMap::kTaylor2, "taylor2"}};
  for (const auto& [map, what] : maps) {
    cases.push_back(FeatureCase(map, what, 1, 1, 1));
    cases.push_back(FeatureCase(map, what, 7, 2, 3));
    cases.push_back(FeatureCase(map, what, 2, 1, 17));
  }
  for (const int64_t steps : kCaseLengths) {
    cases.push_back(AnchorCase(MixedBatch(steps)));
    cases.push_back(ExpCase(steps));
    cases.push_back(NormalisedCase(MixedBatch(steps), 0.25));
  }
  cases.push_back(AnchorCase(FreshBatch(3)));
  cases.push_back(NormalisedCase(FreshBatch(3), 0));
  return cases;
}

}  // namespace ssm
