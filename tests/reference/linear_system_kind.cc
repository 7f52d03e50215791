// zoh, bilinear and s4_legs_dense: dense linear systems.
#include <algorithm>
#include <cmath>

#include "reference/reference_kinds.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/discretize_dense.h"
#include "ssm/systems/discretization.h"
#include "ssm/systems/eigenvalues.h"
#include "ssm/systems/impulse_response.h"
#include "ssm/systems/simulate.h"

namespace ssm::reference {
namespace {

Matrix MatrixOf(const ReferenceCase& c, const std::string& name) {
  const Array<double>& array = c.inputs.at(name);
  if (array.shape().rank() != 2) Fail(ExitCode::kBadData, c.file + ": " + name + " is a matrix");
  Matrix matrix(array.shape()[0], array.shape()[1]);
  std::copy(array.flat().begin(), array.flat().end(), matrix.values.begin());
  return matrix;
}

void RequireNoGradients(const ReferenceCase& c) {
  Require(c, "cotangents", c.cotangents, {});
  Require(c, "gradients", c.gradients, {});
}

void CompareSystem(const ReferenceCase& c, const DiscreteSystem& discrete, Comparison& comparison) {
  const int64_t n = discrete.states(), m = discrete.inputs();
  comparison.Check("A_bar", discrete.A.values, Shaped(c, c.outputs, "A_bar", {n, n}));
  comparison.Check("B_bar", discrete.B.values, Shaped(c, c.outputs, "B_bar", {n, m}));
}

/// The same by the steps that layers train through.
void CompareTrainedStep(const ReferenceCase& c, const ContinuousSystem& system,
                        kernels::DenseRule rule, Comparison& comparison) {
  const kernels::DenseSize size{system.states(), system.inputs()};
  Matrix a(size.states, size.states), b(size.states, size.inputs);
  std::vector<double> scratch(static_cast<size_t>(kernels::DiscretizeDenseScratch(size)));
  kernels::DiscretizeDense(size, rule, c.numbers.at("dt"), system.A.values.data(),
                           system.B.values.data(), a.values.data(), b.values.data(),
                           scratch.data());
  for (int64_t i = 0; i < size.states; ++i) a(i, i) += 1;
  comparison.Check("trained: A_bar", a.values, c.outputs.at("A_bar"));
  comparison.Check("trained: B_bar", b.values, c.outputs.at("B_bar"));
}

/// What the HiPPO-LegS matrices are in terms of P_i = sqrt(i + 1/2): A_ij = -2 P_i P_j below the
/// diagonal, -(i + 1) on it, and B_i = sqrt(2) P_i.
ContinuousSystem LegsSystem(const Array<double>& P, const Matrix& C) {
  const int64_t n = P.size();
  ContinuousSystem system{Matrix(n, n), Matrix(n, 1), C, Matrix(1, 1)};
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) system.A(i, j) = -2 * P[i] * P[j];
    system.A(i, i) = -static_cast<double>(i + 1);
    system.B(i, 0) = std::sqrt(2.0) * P[i];
  }
  return system;
}

/// The eigenvalues of A + P P^T as (re, im) pairs, ascending by imaginary part.
std::vector<double> NormalPartSpectrum(const Matrix& A, const Array<double>& P) {
  Matrix normal = A;
  for (int64_t i = 0; i < A.rows; ++i) {
    for (int64_t j = 0; j < A.cols; ++j) normal(i, j) += P[i] * P[j];
  }
  std::vector<std::complex<double>> values = EigenvaluesOf(normal).values;
  std::sort(values.begin(), values.end(), [](auto a, auto b) { return a.imag() < b.imag(); });
  std::vector<double> pairs;
  for (const std::complex<double> value : values) {
    pairs.push_back(value.real());
    pairs.push_back(value.imag());
  }
  return pairs;
}

}  // namespace

void RunZoh(const ReferenceCase& c, Comparison& comparison) {
  RequireSettings(c, {"dt"}, {});
  Require(c, "inputs", c.inputs, {{"A", "B", "C", "x"}, {}});
  Require(c, "outputs", c.outputs, {{"A_bar", "B_bar", "y", "K"}, {}});
  RequireNoGradients(c);
  ContinuousSystem system{MatrixOf(c, "A"), MatrixOf(c, "B"), MatrixOf(c, "C"), {}};
  system.D = Matrix(system.outputs(), system.inputs());
  const DiscreteSystem discrete = Discretize(system, c.numbers.at("dt"), StepRule::kZoh);
  CompareSystem(c, discrete, comparison);
  CompareTrainedStep(c, system, kernels::DenseRule::kZoh, comparison);
  const Array<double>& x = c.inputs.at("x");
  const int64_t steps = x.shape()[0], m = system.inputs(), p = system.outputs();
  const Array<double>& y = Shaped(c, c.outputs, "y", {steps, p});
  comparison.Check("recurrence: y", SimulateByRecurrence(discrete, x).y.flat(), y);
  comparison.Check("convolution: y", SimulateByConvolution(discrete, x).y.flat(), y);
  comparison.Check("chunks: y", SimulateByChunks(discrete, x, {}, 7).y.flat(), y);
  comparison.Check("K", ImpulseResponse(discrete, steps).flat(),
                   Shaped(c, c.outputs, "K", {steps, p, m}));
}

void RunBilinear(const ReferenceCase& c, Comparison& comparison) {
  RequireSettings(c, {"dt"}, {});
  Require(c, "inputs", c.inputs, {{"A", "B"}, {}});
  Require(c, "outputs", c.outputs, {{"A_bar", "B_bar"}, {}});
  RequireNoGradients(c);
  ContinuousSystem system{MatrixOf(c, "A"), MatrixOf(c, "B"), {}, {}};
  system.C = Matrix(0, system.states());
  system.D = Matrix(0, system.inputs());
  CompareSystem(c, Discretize(system, c.numbers.at("dt"), StepRule::kBilinear), comparison);
  CompareTrainedStep(c, system, kernels::DenseRule::kBilinear, comparison);
}

void RunS4LegsDense(const ReferenceCase& c, Comparison& comparison) {
  RequireSettings(c, {"N", "L", "dt"}, {"rule"});
  Require(c, "inputs", c.inputs, {{"C", "P"}, {}});
  Require(c, "outputs", c.outputs, {{"A", "B", "Lambda", "K"}, {}});
  RequireNoGradients(c);
  const std::optional<StepRule> rule = FindStepRule(c.words.at("rule"));
  if (!rule) Fail(ExitCode::kBadData, c.file + ": unknown rule " + c.words.at("rule"));
  const auto n = static_cast<int64_t>(c.numbers.at("N")),
             L = static_cast<int64_t>(c.numbers.at("L"));
  const Array<double>& P = Shaped(c, c.inputs, "P", {n, 1});
  Shaped(c, c.inputs, "C", {1, n});
  const ContinuousSystem system = LegsSystem(P, MatrixOf(c, "C"));
  comparison.Check("A", system.A.values, Shaped(c, c.outputs, "A", {n, n}));
  comparison.Check("B", system.B.values, Shaped(c, c.outputs, "B", {n, 1}));
  comparison.Check("Lambda", NormalPartSpectrum(system.A, P),
                   Shaped(c, c.outputs, "Lambda", {n, 2}));
  const DiscreteSystem discrete = Discretize(system, c.numbers.at("dt"), *rule);
  comparison.Check("K", ImpulseResponse(discrete, L).flat(), Shaped(c, c.outputs, "K", {L}));
  if (n % 2 != 0) return;
  if (*rule == StepRule::kBilinear) CheckS4Kernel(c, comparison);
  if (*rule == StepRule::kZoh) CheckS4ZohKernel(c, comparison);
}

}  // namespace ssm::reference
