#include "reference/reference_kinds.h"
#include "ssm/autograd/clock.h"
#include "ssm/autograd/ops/linear.h"
#include "ssm/autograd/ops/recurrent_scan.h"
#include "ssm/base/errors.h"

namespace ssm::reference {
namespace {

/// x [B, T, I], states [B, H], weights and biases of `gates` blocks.
void CheckLayout(const ReferenceCase& c, RecurrentCell cell) {
  RequireSettings(c, {}, {});
  std::set<std::string> inputs = {"x",          "h0",        "weight_ih_l0", "weight_hh_l0",
                                  "bias_ih_l0", "bias_hh_l0"};
  std::set<std::string> outputs = {"y"};
  if (cell == RecurrentCell::kLstm) {
    inputs.insert("c0");
    outputs.insert("c");
  }
  Require(c, "inputs", c.inputs, {inputs, {}});
  Require(c, "outputs", c.outputs, {outputs, {}});
  Require(c, "cotangents", c.cotangents, {{}, outputs});
  Require(c, "gradients", c.gradients, {{}, inputs});
  const Shape& x = c.inputs.at("x").shape();
  const Shape& weight = c.inputs.at("weight_hh_l0").shape();
  if (x.rank() != 3 || weight.rank() != 2) {
    Fail(ExitCode::kBadData, c.file + ": x is [B, T, I], weight_hh_l0 [G H, H]");
  }
  const int64_t width = kernels::GateCount(cell) * weight[1];
  Shaped(c, c.inputs, "weight_ih_l0", {width, x[2]});
  Shaped(c, c.inputs, "weight_hh_l0", {width, weight[1]});
  for (const char* bias : {"bias_ih_l0", "bias_hh_l0"}) Shaped(c, c.inputs, bias, {width});
  for (const char* state : {"h0", "c0"}) {
    if (c.inputs.count(state) > 0) Shaped(c, c.inputs, state, {x[0], weight[1]});
  }
}

std::span<const double> Numbers(const Tape<double>& tape, Var<double> var, const double* numbers) {
  return {numbers, static_cast<size_t>(tape.shape(var).size())};
}

void RunRecurrent(const ReferenceCase& c, RecurrentCell cell, Comparison& comparison) {
  CheckLayout(c, cell);
  Tape<double> tape(Mode::kTrain);
  std::map<std::string, Var<double>> vars;
  for (const auto& [name, array] : c.inputs) vars[name] = tape.Watch(array.shape(), array.data());
  const Shape& x = c.inputs.at("x").shape();
  // Rows that have come from somewhere read their initial state.
  const std::vector<int64_t> steps(static_cast<size_t>(x[0]), 1);
  const Clock clock = MakeClock(tape, std::span(steps), x[1], nullptr, nullptr);
  const Var<double> in = Linear(tape, vars["x"], vars["weight_ih_l0"], vars["bias_ih_l0"]);
  const RecurrentOutputs<double> out = RecurrentScan(
      tape, cell, in, vars["weight_hh_l0"], vars["bias_hh_l0"], vars["h0"], vars["c0"], clock);
  const std::map<std::string, Var<double>> found = {{"y", out.y}, {"c", out.c}};
  for (const auto& [part, expected] : c.outputs) {
    const Var<double> var = found.at(part);
    comparison.Check(part, Numbers(tape, var, tape.value(var)),
                     Shaped(c, c.outputs, part, tape.shape(var)));
    if (c.cotangents.count(part) == 0) continue;
    tape.Seed(var, Shaped(c, c.cotangents, part, tape.shape(var)).data());
  }
  tape.Backward();
  for (const auto& [input, expected] : c.gradients) {
    const Var<double> var = vars[input];
    const double* grad = tape.grad(var);
    SSM_CHECK(grad != nullptr, "no gradient reached " + input);
    comparison.Check("gradient of " + input, Numbers(tape, var, grad),
                     Shaped(c, c.gradients, input, tape.shape(var)));
  }
}

}  // namespace

void RunRnn(const ReferenceCase& c, Comparison& comparison) {
  RunRecurrent(c, RecurrentCell::kRnn, comparison);
}

void RunGru(const ReferenceCase& c, Comparison& comparison) {
  RunRecurrent(c, RecurrentCell::kGru, comparison);
}

void RunLstm(const ReferenceCase& c, Comparison& comparison) {
  RunRecurrent(c, RecurrentCell::kLstm, comparison);
}

}  // namespace ssm::reference
