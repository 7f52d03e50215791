#include "reference/reference_kinds.h"
#include "ssm/autograd/clock.h"
#include "ssm/autograd/ops/causal_conv.h"
#include "ssm/base/errors.h"

namespace ssm::reference {
namespace {

std::span<const double> Numbers(const Tape<double>& tape, Var<double> var, const double* numbers) {
  SSM_CHECK(numbers != nullptr, "no gradient reached an input");
  return {numbers, static_cast<size_t>(tape.shape(var).size())};
}

void CheckLayout(const ReferenceCase& c) {
  RequireSettings(c, {}, {});
  const std::set<std::string> inputs = {"x", "tail", "weight", "bias"};
  Require(c, "inputs", c.inputs, {inputs, {}});
  Require(c, "outputs", c.outputs, {{"y", "tail"}, {}});
  Require(c, "cotangents", c.cotangents, {{}, {"y", "tail"}});
  Require(c, "gradients", c.gradients, {{}, inputs});
  if (c.inputs.at("x").shape().rank() != 3 || c.inputs.at("weight").shape().rank() != 3) {
    Fail(ExitCode::kBadData, c.file + ": x is [B, T, E], weight [E, 1, K]");
  }
}

}  // namespace

/// A tail, oldest first, is a ring whose rows come from, and end at, a multiple of K - 1 tokens.
void RunCausalConv1d(const ReferenceCase& c, Comparison& comparison) {
  CheckLayout(c);
  const Shape x = c.inputs.at("x").shape();
  const int64_t taps = c.inputs.at("weight").shape()[2];
  if (taps < 2 || x[1] % (taps - 1) != 0) {
    Fail(ExitCode::kBadData, c.file + ": T is a multiple of K - 1, K at least 2");
  }
  Shaped(c, c.inputs, "weight", {x[2], 1, taps});
  Tape<double> tape(Mode::kTrain);
  std::map<std::string, Var<double>> vars;
  for (const auto& [name, array] : c.inputs) {
    const Shape shape = name == "weight" ? Shape{x[2], taps} : array.shape();
    vars[name] = tape.Watch(shape, array.data());
  }
  const std::vector<int64_t> before(static_cast<size_t>(x[0]), taps - 1);
  const Clock clock = MakeClock(tape, std::span(before), x[1], nullptr, nullptr);
  const CausalConvOutputs<double> out = CausalConv(tape, vars["x"], {0, x[2]}, vars["weight"],
                                                   vars["bias"], vars["tail"], clock, true);
  const std::map<std::string, Var<double>> found = {{"y", out.y}, {"tail", out.ring}};
  for (const auto& [part, var] : found) {
    const Shape shape = tape.shape(var);
    comparison.Check(part, Numbers(tape, var, tape.value(var)), Shaped(c, c.outputs, part, shape));
    if (c.cotangents.count(part) == 0) continue;
    tape.Seed(var, Shaped(c, c.cotangents, part, shape).data());
  }
  tape.Backward();
  for (const auto& [input, expected] : c.gradients) {
    const Var<double> var = vars[input];
    comparison.Check("gradient of " + input, Numbers(tape, var, tape.grad(var)), expected);
  }
}

}  // namespace ssm::reference
