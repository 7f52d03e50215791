#include "ssm/autograd/ops/rotary.h"

#include <algorithm>
#include <cmath>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

struct RotaryCase {
  int64_t width = 7, heads = 2, d_head = 2;
  double base = 10000;
  CaseBatch batch;
};

/// Pairs of channels as complex numbers, multiplied by e^(i angle). Padding stands still.
std::vector<Array<double>> NaiveRotary(const RotaryCase& c, std::span<const Array<double>> in) {
  const std::vector<int64_t> positions = c.batch.Positions();
  std::vector<Array<double>> result;
  Array<double>& y = result.emplace_back(in[0].Clone());
  for (size_t token = 0; token < positions.size(); ++token) {
    for (int64_t pair = 0; pair < c.heads * c.d_head / 2; ++pair) {
      const int64_t half = c.d_head / 2, i = pair % half;
      const int64_t first = static_cast<int64_t>(token) * c.width + pair / half * c.d_head + i;
      const double position = std::max(static_cast<double>(positions[token]), 0.0);
      const double angle =
          position * std::pow(c.base, -2 * static_cast<double>(i) / static_cast<double>(c.d_head));
      const Complex turned = Complex(in[0][first], in[0][first + half]) * std::polar(1.0, angle);
      y[first] = turned.real();
      y[first + half] = turned.imag();
    }
  }
  return result;
}

OpCase MakeCase(const RotaryCase& c, const char* what) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("rotary x", {c.batch.rows, c.batch.steps, c.width}));
  return MakeOpCase(
      "rotary",
      std::string("rotary ") + what + " d=" + std::to_string(c.d_head) +
          " T=" + std::to_string(c.batch.steps),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        return std::vector<Var<T>>{
            Rotary<T>(tape, in[0], c.heads, c.d_head, c.base, CaseClock(tape, c.batch))};
      },
      [=](std::span<const Array<double>> in) { return NaiveRotary(c, in); });
}

}  // namespace

std::vector<OpCase> RotaryCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : kCaseLengths) {
    cases.push_back(MakeCase({.batch = MixedBatch(steps)}, "mixed"));
  }
  cases.push_back(MakeCase({.batch = FreshBatch(5)}, "rows alike"));
  cases.push_back(
      MakeCase({.width = 10, .heads = 1, .d_head = 10, .base = 50, .batch = WarmBatch(5)}, "warm"));
  // An hour at 30 Hz: angles must not lose their digits to single precision.
  cases.push_back(MakeCase({.batch = {1, 3, {108000}, nullptr, nullptr}}, "far"));
  return cases;
}

}  // namespace ssm
