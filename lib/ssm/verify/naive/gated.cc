#include "ssm/autograd/ops/gated.h"

#include <cmath>

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {
namespace {

using Inputs64 = std::span<const Array<double>>;

std::vector<Array<double>> NaiveGlu(Inputs64 in) {
  const Shape& x = in[0].shape();
  const int64_t n = x[2] / 2;
  std::vector<Array<double>> y;
  y.emplace_back(Shape{x[0], x[1], n});
  for (int64_t i = 0; i < y[0].size(); ++i) {
    const int64_t row = i / n * 2 * n + i % n;
    y[0][i] = in[0][row] / (1 + std::exp(-in[0][row + n]));
  }
  return y;
}

template <class F>
std::vector<Array<double>> NaiveProduct(Inputs64 in, F f) {
  std::vector<Array<double>> y;
  y.emplace_back(in[0].shape());
  for (int64_t i = 0; i < in[0].size(); ++i) y[0][i] = f(in[0][i]) * in[1][i];
  return y;
}

template <class F>
OpCase ProductCase(Activation activation, const std::string& name, const Shape& shape, F f) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("gated gate", shape));
  inputs.push_back(NormalArray("gated value", shape));
  return MakeOpCase(
      "gated", name + " product " + shape.ToString(), std::move(inputs),
      [activation](auto& tape, auto in) {
        return std::vector{GatedProduct(tape, activation, in[0], in[1])};
      },
      [f](Inputs64 in) { return NaiveProduct(in, f); });
}

/// A gate that stands in columns 2 .. 2 + 5 of rows of 9.
OpCase ColumnsCase(int64_t steps) {
  constexpr Columns kGate{2, 5};
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("gated rows", {2, steps, 9}));
  inputs.push_back(NormalArray("gated value", {2, steps, kGate.width}));
  return MakeOpCase(
      "gated", "silu columns T=" + std::to_string(steps), std::move(inputs),
      [=](auto& tape, auto in) {
        return std::vector{GatedProduct(tape, Activation::kSilu, in[0], kGate, in[1])};
      },
      [=](Inputs64 in) {
        std::vector<Array<double>> y;
        y.emplace_back(in[1].shape());
        for (int64_t i = 0; i < y[0].size(); ++i) {
          const double gate = in[0][i / kGate.width * 9 + kGate.first + i % kGate.width];
          y[0][i] = gate / (1 + std::exp(-gate)) * in[1][i];
        }
        return y;
      });
}

}  // namespace

std::vector<OpCase> GatedCases() {
  std::vector<OpCase> cases;
  for (int64_t steps : kCaseLengths) {
    std::vector<Array<double>> inputs;
    inputs.push_back(NormalArray("glu x", {2, steps, 10}));
    cases.push_back(MakeOpCase(
        "gated", "glu T=" + std::to_string(steps), std::move(inputs),
        [](auto& tape, auto in) { return std::vector{Glu(tape, in[0])}; }, NaiveGlu));
    cases.push_back(ColumnsCase(steps));
    const Shape shape{2, steps, 5};
    cases.push_back(ProductCase(Activation::kSilu, "silu", shape,
                                [](double x) { return x / (1 + std::exp(-x)); }));
    cases.push_back(
        ProductCase(Activation::kTanh, "tanh", shape, [](double x) { return std::tanh(x); }));
  }
  cases.push_back(
      ProductCase(Activation::kNone, "identity", {1, 7, 3}, [](double x) { return x; }));
  return cases;
}

}  // namespace ssm
