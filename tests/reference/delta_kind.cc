#include <algorithm>

#include "reference/case_run.h"
#include "ssm/autograd/ops/delta_rule.h"
#include "ssm/autograd/ops/pointwise.h"
#include "ssm/autograd/ops/unit_norm.h"
#include "ssm/base/errors.h"

namespace ssm::reference {
namespace {

/// q, k and v [B, T, H, .] as the rows [B, T, H (2 K + V)] of one array. Linear: its gradient goes
/// back the same way.
Var<double> Joined(Tape<double>& tape, const std::vector<Var<double>>& parts) {
  const Shape first = tape.shape(parts[0]);
  const int64_t tokens = first[0] * first[1];
  std::vector<int64_t> widths;
  int64_t width = 0;
  for (const Var<double> part : parts) {
    widths.push_back(tape.shape(part).size() / tokens);
    width += widths.back();
  }
  const Var<double> joined = tape.New({first[0], first[1], width});
  for (int64_t token = 0; token < tokens; ++token) {
    double* to = tape.out(joined) + token * width;
    for (size_t i = 0; i < parts.size(); ++i) {
      to = std::copy_n(tape.value(parts[i]) + token * widths[i], widths[i], to);
    }
  }
  const Var<double> q = parts[0], k = parts[1], v = parts[2];
  const int64_t wq = widths[0], wk = widths[1], wv = widths[2];
  tape.Record("join", {q, k, v}, {joined}, 0, [=](Tape<double>& t) {
    const double* from = t.grad(joined);
    double* to[] = {t.acc(q), t.acc(k), t.acc(v)};
    const int64_t size[] = {wq, wk, wv};
    for (int64_t token = 0; token < tokens; ++token) {
      for (int i = 0; i < 3; ++i) {
        for (int64_t j = 0; j < size[i]; ++j) to[i][token * size[i] + j] += *from++;
      }
    }
  });
  return joined;
}

/// Chunks of `chunk` tokens.
void RunDelta(const ReferenceCase& c, bool gated, int64_t chunk, Comparison& comparison) {
  RequireSettings(c, {}, {});
  std::set<std::string> inputs = {"q", "k", "v", "beta_logit", "S0"};
  if (gated) inputs.insert("log_decay");
  Require(c, "inputs", c.inputs, {inputs, {}});
  Require(c, "outputs", c.outputs, {{"y", "S"}, {}});
  Require(c, "cotangents", c.cotangents, {{}, {"y", "S"}});
  Require(c, "gradients", c.gradients, {{}, inputs});
  const Shape &k = c.inputs.at("k").shape(), &v = c.inputs.at("v").shape();
  if (k.rank() != 4 || v.rank() != 4) {
    Fail(ExitCode::kBadData, c.file + ": k is [B, T, H, K], v [B, T, H, V]");
  }
  const int64_t heads = k[2], dk = k[3], dv = v[3];
  Shaped(c, c.inputs, "q", k);
  Shaped(c, c.inputs, "v", {k[0], k[1], heads, dv});
  Shaped(c, c.inputs, "beta_logit", {k[0], k[1], heads});
  if (gated) Shaped(c, c.inputs, "log_decay", {k[0], k[1], heads});
  Shaped(c, c.inputs, "S0", {k[0], heads, dk, dv});
  CaseRun run(c, k[0], k[1]);
  Tape<double>& tape = run.tape();
  // The case scales keys alone, to length 1 exactly.
  const Var<double> unit = UnitNorm(tape, run["k"], 1, dk, 0);
  const Var<double> joined = Joined(tape, {run["q"], unit, run["v"]});
  const DeltaRuleOutputs<double> out = DeltaRule(
      tape, joined, Activate(tape, Activation::kSigmoid, run["beta_logit"]),
      gated ? run["log_decay"] : Var<double>{}, run["S0"], {heads, dk, dv, chunk, 1}, run.clock());
  run.Finish({{"y", out.y}, {"S", out.last}}, comparison);
}

/// Token by token, in chunks that do not divide the case, and at once.
void RunAllChunks(const ReferenceCase& c, bool gated, Comparison& comparison) {
  for (const int64_t chunk : {1, 7, 64}) RunDelta(c, gated, chunk, comparison);
}

}  // namespace

void RunDeltaNet(const ReferenceCase& c, Comparison& comparison) {
  RunAllChunks(c, false, comparison);
}

void RunGatedDeltaNet(const ReferenceCase& c, Comparison& comparison) {
  RunAllChunks(c, true, comparison);
}

}  // namespace ssm::reference
