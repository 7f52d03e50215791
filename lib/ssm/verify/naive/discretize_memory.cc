#include "ssm/autograd/ops/discretize_memory.h"

#include <cmath>
#include <string>

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/memory_case.h"

namespace ssm {
namespace {

using kernels::DiscretizationRule;

/// A and B of an order, by rows, in one array.
Array<double> SystemOf(int64_t order) {
  Array<double> both(Shape{order * order + order});
  const NaiveSquare a = NaiveHippoMatrix(order, true);
  const std::vector<double> b = NaiveHippoInput(order);
  for (int64_t i = 0; i < order; ++i) {
    for (int64_t j = 0; j < order; ++j) {
      both[i * order + j] = a[static_cast<size_t>(i)][static_cast<size_t>(j)];
    }
    both[order * order + i] = b[static_cast<size_t>(i)];
  }
  return both;
}

/// Column j of e^(h A) - 1, or, where j is the order, of h phi1(h A) B: d' = A d + A e_j (or + B)
/// from 0 for a time h.
std::vector<double> Flow(const NaiveSquare& a, const std::vector<double>& b, double h, size_t j) {
  std::vector<double> drive = b;
  for (size_t i = 0; i < b.size() && j < b.size(); ++i) drive[i] = a[i][j];
  return NaiveFlow(a, drive, h, std::vector<double>(b.size(), 0.0));
}

/// The same by the trapezoid: (1 - h A / 2)^-1 h (A e_j or B).
std::vector<double> Trapezoid(const NaiveSquare& a, const std::vector<double>& b, double h,
                              size_t j) {
  const size_t n = b.size();
  NaiveSquare m = a;
  std::vector<double> right(n);
  for (size_t i = 0; i < n; ++i) {
    right[i] = h * (j == n ? b[i] : a[i][j]);
    for (size_t l = 0; l < n; ++l) m[i][l] = (i == l ? 1.0 : 0.0) - h / 2 * a[i][l];
  }
  return NaiveSolve(m, right);
}

std::vector<Array<double>> NaiveDiscretizeMemory(DiscretizationRule rule, int64_t order,
                                                 double dt) {
  const NaiveSquare a = NaiveHippoMatrix(order, true);
  const std::vector<double> b = NaiveHippoInput(order);
  std::vector<Array<double>> result;
  result.emplace_back(Shape{order, order});
  result.emplace_back(Shape{order});
  for (int64_t j = 0; j <= order; ++j) {
    const auto column =
        (rule == DiscretizationRule::kZoh ? Flow : Trapezoid)(a, b, dt, static_cast<size_t>(j));
    for (int64_t i = 0; i < order; ++i) {
      (j == order ? result[1][i] : result[0][i * order + j]) = column[static_cast<size_t>(i)];
    }
  }
  return result;
}

OpCase DiscretizeCase(DiscretizationRule rule, int64_t order, double log_dt, double dt) {
  const bool zoh = rule == DiscretizationRule::kZoh;
  const auto system = Share(SystemOf(order));
  std::vector<Array<double>> inputs;
  inputs.emplace_back(Shape{1});
  inputs[0][0] = log_dt;
  return MakeOpCase(
      "discretize_memory",
      std::string("discretize_memory ") + (zoh ? "zoh" : "bilinear") +
          " N=" + std::to_string(order) + " dt=" + std::to_string(dt * std::exp(log_dt)),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const DiscreteMemory<T> out = DiscretizeMemory<T>(
            tape, {rule, {order, system->data(), system->data() + order * order}, dt, in[0]});
        return std::vector{out.a_minus_1, out.b_bar};
      },
      [=](std::span<const Array<double>> in) {
        return NaiveDiscretizeMemory(rule, order, dt * std::exp(in[0][0]));
      });
}

}  // namespace

std::vector<OpCase> DiscretizeMemoryCases() {
  std::vector<OpCase> cases;
  for (const DiscretizationRule rule : {DiscretizationRule::kZoh, DiscretizationRule::kBilinear}) {
    cases.push_back(DiscretizeCase(rule, 1, -1, 1));
    cases.push_back(DiscretizeCase(rule, 4, -3, 2));
    cases.push_back(DiscretizeCase(rule, 7, -0.5, 1));
    cases.push_back(DiscretizeCase(rule, 3, -12, 1));
  }
  return cases;
}

}  // namespace ssm
