#include "ssm/autograd/ops/dense_scan.h"

#include <cmath>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

struct DenseForm {
  int64_t groups, states;
  bool grouped = true;  // false: no axis of groups, of which there is one

  Shape One() const { return grouped ? Shape{groups, states} : Shape{states}; }
  Shape Matrix() const { return One().Append(states); }
};

/// Inputs A - 1, u and, unless the rows are fresh, h0. Padding repeats the state.
std::vector<Array<double>> NaiveDenseScan(const DenseForm& form, const CaseBatch& batch,
                                          std::span<const Array<double>> in) {
  const std::vector<int64_t> positions = batch.Positions();
  const int64_t n = form.states, width = form.groups * n;
  std::vector<Array<double>> result;
  result.emplace_back(in[1].shape());
  result.emplace_back(form.One().Prepend(batch.rows));
  for (int64_t b = 0; b < batch.rows; ++b) {
    for (int64_t g = 0; g < form.groups; ++g) {
      std::vector<double> h(static_cast<size_t>(n), 0.0);
      for (int64_t i = 0; in.size() > 2 && i < n; ++i) {
        h[static_cast<size_t>(i)] = in[2][b * width + g * n + i];
      }
      for (int64_t token = b * batch.steps; token < (b + 1) * batch.steps; ++token) {
        const int64_t position = positions[static_cast<size_t>(token)];
        const std::vector<double> before =
            position == 0 ? std::vector<double>(static_cast<size_t>(n), 0.0) : h;
        for (int64_t i = 0; i < n; ++i) {
          double& state = h[static_cast<size_t>(i)];
          if (position >= 0) {
            state = before[static_cast<size_t>(i)] + in[1][token * width + g * n + i];
            for (int64_t j = 0; j < n; ++j) {
              state += in[0][(g * n + i) * n + j] * before[static_cast<size_t>(j)];
            }
          }
          result[0][token * width + g * n + i] = state;
        }
      }
      for (int64_t i = 0; i < n; ++i) {
        result[1][b * width + g * n + i] = h[static_cast<size_t>(i)];
      }
    }
  }
  return result;
}

OpCase DenseScanCase(const DenseForm& form, const CaseBatch& batch, const char* what) {
  const bool h0 = batch.before[0] > 0;
  std::vector<Array<double>> inputs;
  const double scale = 0.3 / std::sqrt(static_cast<double>(form.states));
  inputs.push_back(NormalArray("dense_scan A - 1", form.Matrix(), scale));
  for (int64_t i = 0; i < form.groups * form.states; ++i) {
    inputs[0][i * form.states + i % form.states] -= 0.5;
  }
  inputs.push_back(
      NormalArray("dense_scan u", form.One().Prepend(batch.steps).Prepend(batch.rows)));
  if (h0) inputs.push_back(NormalArray("dense_scan h0", form.One().Prepend(batch.rows)));
  return MakeOpCase(
      "dense_scan",
      std::string("dense_scan ") + what + " G=" + std::to_string(form.groups) +
          " N=" + std::to_string(form.states) + " T=" + std::to_string(batch.steps) +
          (form.grouped ? "" : " no groups"),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const auto [h, last] =
            DenseScan<T>(tape, in[0], in[1], h0 ? in[2] : Var<T>{}, CaseClock(tape, batch));
        return std::vector{h, last};
      },
      [=](std::span<const Array<double>> in) { return NaiveDenseScan(form, batch, in); });
}

}  // namespace

std::vector<OpCase> DenseScanCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : {1, 2, 7, 32, 33, 65}) {
    cases.push_back(DenseScanCase({3, 2}, MixedBatch(steps), "mixed"));
    cases.push_back(DenseScanCase({1, 5, false}, MixedBatch(steps), "mixed"));
  }
  cases.push_back(DenseScanCase({1, 1, false}, FreshBatch(7), "fresh"));
  cases.push_back(DenseScanCase({2, 17}, WarmBatch(5), "warm"));
  cases.push_back(DenseScanCase({1, 4}, {13, 3, std::vector<int64_t>(13, 2), {}, {}}, "13 rows"));
  return cases;
}

}  // namespace ssm
