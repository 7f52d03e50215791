#include "ssm/autograd/ops/pointwise.h"

#include <cmath>

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {
namespace {

using Inputs64 = std::span<const Array<double>>;

double Naive(Activation f, double x) {
  switch (f) {
    case Activation::kNone:
      return x;
    case Activation::kGelu:
      return x * std::erfc(-x / std::sqrt(2.0)) / 2;
    case Activation::kSilu:
      return x / (1 + std::exp(-x));
    case Activation::kRelu:
      return x > 0 ? x : 0;
    case Activation::kTanh:
      return std::tanh(x);
    case Activation::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::kSoftplus:
      return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
    case Activation::kExp:
      return std::exp(x);
    case Activation::kPositive:
      return x >= 0 ? x + 0.5 : 1 / (1 + std::exp(-x));
    case Activation::kSquaredRelu:
      return x > 0 ? x * x : 0;
  }
  return 0;
}

template <class F>
std::vector<Array<double>> Map(Inputs64 in, F f) {
  std::vector<Array<double>> y;
  y.emplace_back(in[0].shape());
  for (int64_t i = 0; i < in[0].size(); ++i) y[0][i] = f(i);
  return y;
}

std::string Sized(const char* name, const Shape& shape) {
  std::string text = name;
  text += ' ';
  text += shape.ToString();
  return text;
}

/// Away from 0 by 0.1, where relu has no derivative.
Array<double> Activated(const Shape& shape) {
  Array<double> x = NormalArray("pointwise x", shape, 2);
  for (double& value : x.flat()) value += value > 0 ? 0.1 : -0.1;
  return x;
}

OpCase ActivationCase(Activation f, const char* name, const Shape& shape) {
  std::vector<Array<double>> inputs;
  inputs.push_back(Activated(shape));
  return MakeOpCase(
      "pointwise", Sized(name, shape), std::move(inputs),
      [f](auto& tape, auto in) { return std::vector{Activate(tape, f, in[0])}; },
      [f](Inputs64 in) { return Map(in, [&](int64_t i) { return Naive(f, in[0][i]); }); });
}

std::vector<Array<double>> Pair(const Shape& shape) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("pointwise a", shape));
  inputs.push_back(NormalArray("pointwise b", shape));
  return inputs;
}

void AddArithmetic(std::vector<OpCase>& cases, const Shape& shape) {
  cases.push_back(MakeOpCase(
      "pointwise", Sized("add", shape), Pair(shape),
      [](auto& tape, auto in) { return std::vector{Add(tape, in[0], in[1])}; },
      [](Inputs64 in) { return Map(in, [&](int64_t i) { return in[0][i] + in[1][i]; }); }));
  cases.push_back(MakeOpCase(
      "pointwise", Sized("multiply", shape), Pair(shape),
      [](auto& tape, auto in) { return std::vector{Multiply(tape, in[0], in[1])}; },
      [](Inputs64 in) { return Map(in, [&](int64_t i) { return in[0][i] * in[1][i]; }); }));
  std::vector<Array<double>> one;
  one.push_back(NormalArray("pointwise a", shape));
  cases.push_back(MakeOpCase(
      "pointwise", Sized("scale", shape), std::move(one),
      [](auto& tape, auto in) { return std::vector{Scale(tape, in[0], {-2.5})}; },
      [](Inputs64 in) { return Map(in, [&](int64_t i) { return -2.5 * in[0][i]; }); }));
  // One value used twice: gradients add up.
  std::vector<Array<double>> twice;
  twice.push_back(NormalArray("pointwise a", shape));
  cases.push_back(MakeOpCase(
      "pointwise", Sized("square", shape), std::move(twice),
      [](auto& tape, auto in) { return std::vector{Multiply(tape, in[0], in[0])}; },
      [](Inputs64 in) { return Map(in, [&](int64_t i) { return in[0][i] * in[0][i]; }); }));
}

}  // namespace

std::vector<OpCase> PointwiseCases() {
  constexpr std::pair<Activation, const char*> kNamed[] = {
      {Activation::kGelu, "gelu"},
      {Activation::kSilu, "silu"},
      {Activation::kRelu, "relu"},
      {Activation::kTanh, "tanh"},
      {Activation::kSigmoid, "sigmoid"},
      {Activation::kSoftplus, "softplus"},
      {Activation::kExp, "exp"},
      {Activation::kPositive, "positive"},
      {Activation::kSquaredRelu, "squared relu"}};
  std::vector<OpCase> cases;
  for (int64_t steps : kCaseLengths) {
    const Shape shape{2, steps, 3};
    for (const auto& [f, name] : kNamed) cases.push_back(ActivationCase(f, name, shape));
    AddArithmetic(cases, shape);
  }
  cases.push_back(ActivationCase(Activation::kGelu, "gelu", {0, 7, 3}));
  AddArithmetic(cases, {2, 0, 3});
  return cases;
}

}  // namespace ssm
