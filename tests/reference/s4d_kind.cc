#include <functional>

#include "reference/reference_kinds.h"
#include "ssm/autograd/clock.h"
#include "ssm/autograd/ops/diagonal_final_state.h"
#include "ssm/autograd/ops/diagonal_response.h"
#include "ssm/autograd/ops/fft_conv.h"
#include "ssm/autograd/ops/s4d_kernel.h"
#include "ssm/autograd/ops/s4d_scan.h"
#include "ssm/base/errors.h"

namespace ssm::reference {
namespace {

/// A case's inputs on a tape.
struct Problem {
  Tape<double> tape{Mode::kTrain};
  std::map<std::string, Var<double>> vars;
  DiscreteDiagonal<double> system;
  Clock clock;

  explicit Problem(const ReferenceCase& c) {
    for (const auto& [name, array] : c.inputs) {
      vars[name] = tape.Watch(array.shape(), array.data());
    }
    const bool bilinear = c.words.at("rule") == "bilinear";
    system = DiscretizeDiagonal<double>(
        tape, {vars["log_dt"], vars["log_A_real"], vars["A_imag"], 1,
               bilinear ? DiscretizationRule::kBilinear : DiscretizationRule::kZoh});
    const Shape& u = c.inputs.at("u").shape();
    // Rows that have come from somewhere read their initial state.
    const std::vector<int64_t> steps(static_cast<size_t>(u[0]), vars["h0"] ? 1 : 0);
    clock = MakeClock(tape, steps, u[1], nullptr, nullptr);
  }
};

using Route = std::function<ScanOutputs<double>(Problem&)>;

ScanOutputs<double> ByScan(Problem& p) {
  return S4dScan(p.tape, p.vars["u"], p.system, p.vars["C"], p.vars["D"], p.vars["h0"], p.clock);
}

ScanOutputs<double> ByConvolution(Problem& p) {
  Tape<double>& tape = p.tape;
  const Var<double> kernel = S4dKernel(tape, p.system, p.vars["C"], p.vars["D"], p.clock.T);
  Var<double> y = FftConv(tape, p.vars["u"], kernel);
  if (p.vars["h0"]) y = DiagonalResponse(tape, y, p.system, p.vars["C"], p.vars["h0"], p.clock);
  return {y, DiagonalFinalState(tape, p.vars["u"], p.system, p.vars["h0"], p.clock)};
}

std::span<const double> Values(Tape<double>& tape, Var<double> var) {
  return {tape.value(var), static_cast<size_t>(tape.shape(var).size())};
}

void RunRoute(const ReferenceCase& c, const std::string& name, const Route& route,
              Comparison& comparison) {
  Problem p(c);
  const ScanOutputs<double> out = route(p);
  const std::map<std::string, Var<double>> found = {{"y", out.y}, {"state", out.last}};
  for (const auto& [part, var] : found) {
    if (c.outputs.count(part) == 0) continue;
    comparison.Check(name + part, Values(p.tape, var),
                     Shaped(c, c.outputs, part, p.tape.shape(var)));
    if (c.cotangents.count(part) == 0) continue;
    p.tape.Seed(var, Shaped(c, c.cotangents, part, p.tape.shape(var)).data());
  }
  p.tape.Backward();
  for (const auto& [input, expected] : c.gradients) {
    const Var<double> var = p.vars[input];
    const double* grad = p.tape.grad(var);
    SSM_CHECK(grad != nullptr, "no gradient reached " + input);
    comparison.Check(name + "gradient of " + input,
                     {grad, static_cast<size_t>(p.tape.shape(var).size())},
                     Shaped(c, c.gradients, input, p.tape.shape(var)));
  }
}

void CheckLayout(const ReferenceCase& c) {
  RequireSettings(c, {}, {"rule"});
  const std::string& rule = c.words.at("rule");
  if (rule != "zoh" && rule != "bilinear") {
    Fail(ExitCode::kBadData, c.file + ": /settings/rule is \"" + rule + "\"");
  }
  Require(c, "inputs", c.inputs, {{"log_dt", "log_A_real", "C", "u"}, {"A_imag", "D", "h0"}});
  Require(c, "outputs", c.outputs, {{"y"}, {"K", "state"}});
  Require(c, "cotangents", c.cotangents, {{}, {"y", "state"}});
  Require(c, "gradients", c.gradients,
          {{}, {"log_dt", "log_A_real", "A_imag", "C", "u", "D", "h0"}});
  const Shape& modes = c.inputs.at("log_A_real").shape();
  const Shape& u = c.inputs.at("u").shape();
  const bool complex = c.inputs.count("A_imag") > 0;
  if (modes.rank() != 2 || u.rank() != 3) {
    Fail(ExitCode::kBadData, c.file + ": log_A_real is [H, N], u [B, L, H]");
  }
  const Shape numbers = complex ? modes.Append(2) : modes;
  Shaped(c, c.inputs, "log_dt", {modes[0]});
  Shaped(c, c.inputs, "u", {u[0], u[1], modes[0]});
  if (complex) Shaped(c, c.inputs, "A_imag", modes);
  Shaped(c, c.inputs, "C", numbers);
  if (c.inputs.count("D") > 0) Shaped(c, c.inputs, "D", {modes[0]});
  if (c.inputs.count("h0") > 0) Shaped(c, c.inputs, "h0", numbers.Prepend(u[0]));
}

}  // namespace

void RunS4d(const ReferenceCase& c, Comparison& comparison) {
  CheckLayout(c);
  if (c.outputs.count("K") > 0) {
    Problem p(c);
    const Var<double> kernel = S4dKernel(p.tape, p.system, p.vars["C"], {}, p.clock.T);
    comparison.Check("K", Values(p.tape, kernel), Shaped(c, c.outputs, "K", p.tape.shape(kernel)));
  }
  RunRoute(c, "scan: ", ByScan, comparison);
  RunRoute(c, "convolution: ", ByConvolution, comparison);
}

}  // namespace ssm::reference
