#include "ssm/autograd/ops/log_decay.h"

#include <cmath>

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {
namespace {

OpCase LogDecayCase(int64_t rows, int64_t steps, int64_t heads, bool has_dt, double dt_scale) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("log_decay x", {rows, steps, heads}, 3));
  inputs.push_back(NormalArray("log_decay rate", {heads}));
  if (has_dt) inputs.push_back(UniformArray("log_decay dt", {rows, steps}, 0.2, 3));
  return MakeOpCase(
      "log_decay",
      "log_decay B=" + std::to_string(rows) + " T=" + std::to_string(steps) +
          " H=" + std::to_string(heads) + (has_dt ? " dt" : ""),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        return std::vector{LogDecay<T>(tape, in[0], in[1], has_dt ? in[2] : Var<T>{}, dt_scale)};
      },
      [=](std::span<const Array<double>> in) {
        std::vector<Array<double>> g;
        g.emplace_back(in[0].shape());
        for (int64_t i = 0; i < in[0].size(); ++i) {
          const double dt = dt_scale * (has_dt ? in[2][i / heads] : 1);
          g[0][i] = -std::exp(in[1][i % heads]) * std::log1p(std::exp(in[0][i])) * dt;
        }
        return g;
      });
}

}  // namespace

std::vector<OpCase> LogDecayCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : kCaseLengths) {
    cases.push_back(LogDecayCase(2, steps, 3, true, 0.5));
    cases.push_back(LogDecayCase(2, steps, 1, false, 2));
  }
  cases.push_back(LogDecayCase(1, 2, 17, true, 1));
  cases.push_back(LogDecayCase(0, 2, 3, true, 1));
  return cases;
}

}  // namespace ssm
