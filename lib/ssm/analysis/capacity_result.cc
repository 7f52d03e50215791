#include "ssm/analysis/capacity_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "ssm/base/text.h"
#include "ssm/systems/discretization.h"
#include "ssm/systems/hippo_matrices.h"
#include "ssm/systems/memory_capacity.h"

namespace ssm {
namespace {

/// Lags of e^-(decay k) until what is left is below rounding, for energies e^-(2 decay k).
int64_t LagsFor(double decay) { return static_cast<int64_t>(std::ceil(20 / decay)); }

DiscreteSystem StatesOf(Matrix A, Matrix B) {
  const int64_t n = A.rows;
  return {std::move(A), std::move(B), Matrix(1, n), Matrix(1, 1)};
}

DiscreteSystem ShiftRegister(int64_t n) {
  Matrix A(n, n), B(n, 1);
  B(0, 0) = 1;
  for (int64_t i = 1; i < n; ++i) A(i, i - 1) = 1;
  return StatesOf(std::move(A), std::move(B));
}

/// By the bilinear rule.
DiscreteSystem Hippo(HippoMeasure measure, int64_t n, double dt) {
  const HippoPair pair = MakeHippo({.measure = measure, .order = n});
  return Discretize(ContinuousSystem{pair.A, pair.B, Matrix(1, n), Matrix(1, 1)}, dt,
                    StepRule::kBilinear);
}

/// Poles -1/2 +- i pi k as n / 2 blocks of two states, by the zero-order hold.
DiscreteSystem S4dLin(int64_t n, double dt) {
  Matrix A(n, n), B(n, 1);
  for (int64_t i = 0; i < n; i += 2) {
    const double frequency = std::numbers::pi * static_cast<double>(i / 2 + 1);
    A(i, i) = A(i + 1, i + 1) = -0.5;
    A(i, i + 1) = -frequency;
    A(i + 1, i) = frequency;
    B(i, 0) = 1;
  }
  return Discretize(ContinuousSystem{A, B, Matrix(1, n), Matrix(1, 1)}, dt, StepRule::kZoh);
}

/// MC summed over the lags, as a share of the states it misses.
double TotalError(const MemoryCapacity& capacity, int64_t states) {
  double sum = 0;
  for (const double value : capacity.by_lag.values) sum += value;
  return std::abs(sum / static_cast<double>(states) - 1);
}

template <class Law>
double LargestError(const MemoryCapacity& capacity, const Law& law) {
  double most = 0;
  for (int64_t k = 0; k < capacity.by_lag.rows; ++k) {
    most = std::max(most, std::abs(capacity.by_lag(k, 0) - law(k)));
  }
  return most;
}

}  // namespace

void MemoryCapacityResult::VisitFields(FieldVisitor& visitor) {
  visitor.IntList("orders", orders, {.min = 2, .max = 256}, "even numbers of states");
  visitor.RealList("poles", poles, {.min = -0.9999, .max = 0.9999}, "of systems of one state");
  visitor.Int("window", window, {.min = 1, .max = 100'000},
              "steps that LegS's unit of time and LMU's window take");
  visitor.Real("gate_total", gate_total, Positive(), "largest |MC - N| / N");
  visitor.Real("gate_lag", gate_lag, Positive(), "largest error of a closed form at any lag");
}

void MemoryCapacityResult::Check(Faults& faults) const {
  for (const int64_t n : orders) {
    if (n % 2 != 0) {
      faults.Add("orders", fmt::format("{} is odd, but poles come in conjugate pairs; use an even "
                                       "number",
                                       n));
    }
  }
}

std::vector<GateRow> MemoryCapacityResult::Run(const ResultSetting&) const {
  std::vector<GateRow> rows;
  const double dt = 1 / static_cast<double>(window);
  const auto add_total = [&](const std::string& what, const DiscreteSystem& system, int64_t lags) {
    rows.push_back({fmt::format("|MC - N| / N, {}, N {}", what, system.states()),
                    TotalError(MemoryCapacityOf(system, lags), system.states()), gate_total, true});
  };
  for (const int64_t n : orders) {
    const MemoryCapacity shift = MemoryCapacityOf(ShiftRegister(n), 2 * n);
    rows.push_back({fmt::format("|MC - N| / N, shift register, N {}", n), TotalError(shift, n),
                    gate_total, true});
    rows.push_back({fmt::format("R^2 at every lag, shift register, N {}", n),
                    LargestError(shift, [n](int64_t k) { return k < n ? 1.0 : 0.0; }), gate_lag,
                    true});
    add_total("LegS", Hippo(HippoMeasure::kLegS, n, dt), LagsFor(dt));
    add_total("LMU window", Hippo(HippoMeasure::kLmu, n, dt), LagsFor(dt));
    add_total("S4D-Lin", S4dLin(n, dt), LagsFor(0.5 * dt));
  }
  for (const double a : poles) {
    const int64_t lags = a == 0 ? 2 : LagsFor(-std::log(std::abs(a)));
    const MemoryCapacity one = MemoryCapacityOf(StatesOf({{a}}, {{1}}), lags);
    rows.push_back({"|MC - N| / N, pole " + FormatNumber(a), TotalError(one, 1), gate_total, true});
    const auto law = [a](int64_t k) {
      return (1 - a * a) * std::pow(a * a, static_cast<double>(k));
    };
    rows.push_back(
        {"R^2 at every lag, pole " + FormatNumber(a), LargestError(one, law), gate_lag, true});
  }
  return rows;
}

}  // namespace ssm
