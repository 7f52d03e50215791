#include "reference/reference_kinds.h"
#include "ssm/autograd/clock.h"
#include "ssm/autograd/ops/gated.h"
#include "ssm/autograd/ops/selective_scan.h"
#include "ssm/autograd/ops/step_sizes.h"
#include "ssm/base/errors.h"

namespace ssm::reference {
namespace {

struct Sizes {
  int64_t rows, steps, channels, modes;
};

Sizes CheckLayout(const ReferenceCase& c) {
  RequireSettings(c, {}, {"rule"});
  const std::set<std::string> inputs = {"u", "delta", "delta_bias", "A_log", "B",
                                        "C", "D",     "z",          "h0"};
  Require(c, "inputs", c.inputs, {inputs, {}});
  Require(c, "outputs", c.outputs, {{"y", "state"}, {}});
  Require(c, "cotangents", c.cotangents, {{}, {"y", "state"}});
  Require(c, "gradients", c.gradients, {{}, inputs});
  const Shape &u = c.inputs.at("u").shape(), &a = c.inputs.at("A_log").shape();
  if (u.rank() != 3 || a.rank() != 2) {
    Fail(ExitCode::kBadData, c.file + ": u is [B, T, D], A_log [D, N]");
  }
  const Sizes sizes{u[0], u[1], u[2], a[1]};
  for (const char* name : {"delta", "z"}) Shaped(c, c.inputs, name, u);
  for (const char* name : {"B", "C"}) {
    Shaped(c, c.inputs, name, {sizes.rows, sizes.steps, sizes.modes});
  }
  for (const char* name : {"delta_bias", "D"}) Shaped(c, c.inputs, name, {sizes.channels});
  Shaped(c, c.inputs, "h0", {sizes.rows, sizes.channels, sizes.modes});
  return sizes;
}

/// [B, n, m] to [B, m, n].
Array<double> Turned(std::span<const double> from, int64_t rows, int64_t n, int64_t m) {
  Array<double> to(Shape{rows, m, n});
  for (int64_t i = 0; i < to.size(); ++i) {
    const int64_t row = i / (n * m), j = i / n % m, k = i % n;
    to[i] = from[static_cast<size_t>((row * n + k) * m + j)];
  }
  return to;
}

std::span<const double> Numbers(const Tape<double>& tape, Var<double> var, const double* numbers) {
  SSM_CHECK(numbers != nullptr, "no gradient reached an input");
  return {numbers, static_cast<size_t>(tape.shape(var).size())};
}

}  // namespace

/// The file's states are [B, D, N], the operation's [B, N, D]; delta's bias is added here.
void RunSelectiveScan(const ReferenceCase& c, Comparison& comparison) {
  const auto [rows, steps, channels, modes] = CheckLayout(c);
  const std::string& rule = c.words.at("rule");
  if (rule != "mamba" && rule != "zoh") Fail(ExitCode::kBadData, c.file + ": rule " + rule);
  Tape<double> tape(Mode::kTrain);
  std::map<std::string, Var<double>> vars;
  for (const auto& [name, array] : c.inputs) vars[name] = tape.Watch(array.shape(), array.data());
  const Array<double> h0 = Turned(c.inputs.at("h0").flat(), rows, channels, modes);
  vars["h0"] = tape.Watch(h0.shape(), h0.data());
  Array<double> raw(Shape{rows, steps, channels});
  for (int64_t i = 0; i < raw.size(); ++i) {
    raw[i] = c.inputs.at("delta")[i] + c.inputs.at("delta_bias")[i % channels];
  }
  vars["delta"] = tape.Watch(raw.shape(), raw.data());

  const std::vector<int64_t> before(static_cast<size_t>(rows), 1);
  const Clock clock = MakeClock(tape, std::span(before), steps, nullptr, nullptr);
  const Var<double> dt = StepSizes(tape, vars["delta"], {}, Var<double>{}, 1.0, clock);
  const SelectiveOutputs<double> scan = SelectiveScan<double>(
      tape, vars["u"], dt,
      {.log_a_real = vars["A_log"], .rule = rule == "zoh" ? WriteRule::kZoh : WriteRule::kEuler},
      {.b = vars["B"], .c = vars["C"]}, vars["D"], vars["h0"], clock);
  const Var<double> y = GatedProduct(tape, Activation::kSilu, vars["z"], scan.y);
  const Shape state{rows, channels, modes};
  comparison.Check("y", Numbers(tape, y, tape.value(y)), Shaped(c, c.outputs, "y", tape.shape(y)));
  comparison.Check(
      "state",
      Turned(Numbers(tape, scan.last, tape.value(scan.last)), rows, modes, channels).flat(),
      Shaped(c, c.outputs, "state", state));
  Array<double> g_state;
  if (c.cotangents.count("y") > 0) {
    tape.Seed(y, Shaped(c, c.cotangents, "y", tape.shape(y)).data());
  }
  if (c.cotangents.count("state") > 0) {
    g_state = Turned(Shaped(c, c.cotangents, "state", state).flat(), rows, channels, modes);
    tape.Seed(scan.last, g_state.data());
  }
  tape.Backward();
  for (const auto& [input, expected] : c.gradients) {
    const std::string what = "gradient of " + input;
    const Var<double> var = vars[input == "delta_bias" ? "delta" : input];
    const std::span<const double> grad = Numbers(tape, var, tape.grad(var));
    if (input == "h0") {
      comparison.Check(what, Turned(grad, rows, modes, channels).flat(), expected);
    } else if (input == "delta_bias") {
      Array<double> sum(Shape{channels});
      for (size_t i = 0; i < grad.size(); ++i) {
        sum[static_cast<int64_t>(i) % channels] += grad[i];
      }
      comparison.Check(what, sum.flat(), expected);
    } else {
      comparison.Check(what, grad, expected);
    }
  }
}

}  // namespace ssm::reference
