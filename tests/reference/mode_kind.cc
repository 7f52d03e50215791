// s5 and lru: one diagonal state for all channels.
#include <cmath>
#include <map>
#include <set>

#include "reference/reference_kinds.h"
#include "ssm/autograd/ops/complex_weights.h"
#include "ssm/autograd/ops/linear.h"
#include "ssm/autograd/ops/pointwise.h"
#include "ssm/base/errors.h"
#include "ssm/mixers/mode_mixer.h"

namespace ssm::reference {
namespace {

/// A case's inputs on a tape, under its names.
struct Problem {
  Tape<double> tape{Mode::kTrain};
  std::map<std::string, Var<double>> vars;
  /// Inputs that are stored otherwise here: their values and, elementwise, d(ours)/d(theirs).
  std::map<std::string, Array<double>> stored, slope;
  Clock clock;

  explicit Problem(const ReferenceCase& c) {
    for (const auto& [name, array] : c.inputs) {
      vars[name] = tape.Watch(array.shape(), array.data());
    }
    const Shape& u = c.inputs.at("u").shape();
    const std::vector<int64_t> steps(static_cast<size_t>(u[0]), 1);  // all have come from somewhere
    clock = MakeClock(tape, steps, u[1], nullptr, nullptr);
  }

  /// Stores log(-x) in place of x < 0.
  void StoreLogOfMinus(const ReferenceCase& c, const std::string& name) {
    const Array<double>& x = c.inputs.at(name);
    Array<double> value(x.shape()), factor(x.shape());
    for (int64_t i = 0; i < x.size(); ++i) {
      value[i] = std::log(-x[i]);
      factor[i] = 1 / x[i];
    }
    stored[name] = std::move(value);
    slope[name] = std::move(factor);
    vars[name] = tape.Watch(x.shape(), stored[name].data());
  }
};

std::span<const double> Values(Tape<double>& tape, Var<double> var) {
  return {tape.value(var), static_cast<size_t>(tape.shape(var).size())};
}

void Finish(const ReferenceCase& c, Problem& p, const ModeSystem<double>& system,
            Comparison& comparison) {
  Inputs<double> in;
  in.x = p.vars["u"];
  in.clock = &p.clock;
  const Var<double> driven = Linear(p.tape, in.x, system.w_in);
  const Outputs<double> out =
      RunModes(p.tape, in, system, driven, p.vars["x0"], Want::kOutputAndState);
  const std::map<std::string, Var<double>> found = {{"y", out.y}, {"state", out.next[0]}};
  for (const auto& [part, var] : found) {
    comparison.Check(part, Values(p.tape, var), Shaped(c, c.outputs, part, p.tape.shape(var)));
    if (c.cotangents.count(part) == 0) continue;
    p.tape.Seed(var, Shaped(c, c.cotangents, part, p.tape.shape(var)).data());
  }
  p.tape.Backward();
  for (const auto& [input, expected] : c.gradients) {
    const Var<double> var = p.vars[input];
    SSM_CHECK(p.tape.grad(var) != nullptr, "no gradient reached " + input);
    const std::span<const double> gradient(p.tape.grad(var),
                                           static_cast<size_t>(p.tape.shape(var).size()));
    std::vector<double> theirs(gradient.begin(), gradient.end());
    if (p.slope.count(input) > 0) {
      for (size_t i = 0; i < theirs.size(); ++i) {
        theirs[i] *= p.slope[input][static_cast<int64_t>(i)];
      }
    }
    comparison.Check("gradient of " + input, theirs,
                     Shaped(c, c.gradients, input, p.tape.shape(var)));
  }
}

void CheckLayout(const ReferenceCase& c, const std::vector<std::string>& inputs) {
  RequireSettings(c, {}, {});
  std::set<std::string> all(inputs.begin(), inputs.end());
  for (const char* name : {"B", "C", "D", "u", "x0"}) all.insert(name);
  Require(c, "inputs", c.inputs, {all, {}});
  Require(c, "outputs", c.outputs, {{"y", "state"}, {}});
  Require(c, "cotangents", c.cotangents, {{}, {"y", "state"}});
  Require(c, "gradients", c.gradients, {{}, all});
  const Shape& b = c.inputs.at("B").shape();
  const Shape& u = c.inputs.at("u").shape();
  if (b.rank() != 3 || u.rank() != 3) {
    Fail(ExitCode::kBadData, c.file + ": B is [N, H, 2], u [B, L, H]");
  }
  for (const std::string& name : inputs) Shaped(c, c.inputs, name, {b[0]});
  Shaped(c, c.inputs, "B", {b[0], u[2], 2});
  Shaped(c, c.inputs, "C", {u[2], b[0], 2});
  Shaped(c, c.inputs, "D", {u[2]});
  Shaped(c, c.inputs, "x0", {u[0], b[0], 2});
}

}  // namespace

void RunS5(const ReferenceCase& c, Comparison& comparison) {
  CheckLayout(c, {"Lambda_re", "Lambda_im", "log_step"});
  Problem p(c);
  p.StoreLogOfMinus(c, "Lambda_re");
  const DiscreteDiagonal<double> discrete = DiscretizeDiagonal<double>(
      p.tape,
      {p.vars["log_step"], p.vars["Lambda_re"], p.vars["Lambda_im"], 1, DiscretizationRule::kZoh});
  Finish(c, p,
         {discrete.a_minus_1, ComplexInputWeight(p.tape, p.vars["B"], discrete.b_bar),
          ComplexOutputWeight(p.tape, p.vars["C"], 2.0), p.vars["D"]},
         comparison);
}

void RunLru(const ReferenceCase& c, Comparison& comparison) {
  CheckLayout(c, {"nu_log", "theta_log", "gamma_log"});
  Problem p(c);
  const Shape modes = p.tape.shape(p.vars["nu_log"]);
  const Array<double> unit(modes);
  const Var<double> phase = Activate(p.tape, Activation::kExp, p.vars["theta_log"]);
  const DiscreteDiagonal<double> discrete = DiscretizeDiagonal<double>(
      p.tape,
      {p.tape.Copy(modes, unit.data()), p.vars["nu_log"], phase, 1, DiscretizationRule::kZoh});
  const Var<double> gamma = Activate(p.tape, Activation::kExp, p.vars["gamma_log"]);
  Finish(c, p,
         {discrete.a_minus_1, ComplexInputWeight(p.tape, p.vars["B"], gamma),
          ComplexOutputWeight(p.tape, p.vars["C"], 1.0), p.vars["D"]},
         comparison);
}

}  // namespace ssm::reference
