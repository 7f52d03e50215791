#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/reference_kinds.h"
#include "ssm/autograd/clock.h"
#include "ssm/autograd/ops/feature_map.h"
#include "ssm/autograd/ops/matrix_state.h"
#include "ssm/autograd/ops/ssd.h"
#include "ssm/base/errors.h"

namespace ssm::reference {
namespace {

/// A case's inputs on a tape, its axes joined as the operations have them, in rows that continue.
struct Problem {
  Tape<double> tape{Mode::kTrain};
  std::map<std::string, Var<double>> vars;
  Clock clock;

  explicit Problem(const ReferenceCase& c, const std::string& over_time) {
    const Shape& time = c.inputs.at(over_time).shape();
    for (const auto& [name, array] : c.inputs) {
      Shape shape = array.shape();
      // Heads and their channels are one axis of a token.
      if (shape.rank() == 4 && shape[1] == time[1])
        shape = {shape[0], shape[1], shape[2] * shape[3]};
      vars[name] = tape.Watch(shape, array.data());
    }
    const std::vector<int64_t> steps(static_cast<size_t>(time[0]), 1);
    clock = MakeClock(tape, steps, time[1], nullptr, nullptr);
  }

  std::span<const double> Values(Var<double> var) const {
    return {tape.value(var), static_cast<size_t>(tape.shape(var).size())};
  }
};

void CheckGradients(const ReferenceCase& c, const Problem& p, Comparison& comparison) {
  for (const auto& [name, expected] : c.gradients) {
    const double* grad = p.tape.grad(p.vars.at(name));
    SSM_CHECK(grad != nullptr, "no gradient reached " + name);
    comparison.Check("gradient of " + name, {grad, expected.flat().size()}, expected);
  }
}

void Seed(const ReferenceCase& c, Tape<double>& tape, const std::string& name, Var<double> var) {
  if (c.cotangents.count(name) == 0) return;
  const Array<double>& cotangent = c.cotangents.at(name);
  if (cotangent.size() != tape.shape(var).size()) {
    Fail(ExitCode::kBadData, c.file + ": the cotangent of " + name + " has another size");
  }
  tape.Seed(var, cotangent.data());
}

/// q and k [B, T, H, d_k], v [B, T, H, d_v].
MatrixStateArguments<double> Arguments(const ReferenceCase& c, Problem& p) {
  const Shape& k = c.inputs.at("k").shape();
  if (k.rank() != 4) Fail(ExitCode::kBadData, c.file + ": k is [B, T, H, d_k]");
  MatrixStateArguments<double> a;
  a.heads = a.groups = k[2];
  a.d_k = k[3];
  a.d_v = c.inputs.at("v").shape().Back(0);
  a.q = {p.vars["q"], 0};
  a.k = {p.vars["k"], 0};
  a.v = {p.vars["v"], 0};
  a.before = p.vars["S0"];
  return a;
}

/// Chunks that are one token, that do not divide the steps, and that hold them all.
constexpr int64_t kChunks[] = {1, 8, 64};

std::string Name(int64_t chunk) { return "chunk " + std::to_string(chunk) + ": "; }

/// retention: the decay is of the head's number. gla: of each key.
void RunDecaying(const ReferenceCase& c, bool by_key, Comparison& comparison) {
  RequireSettings(c, {}, {});
  std::set<std::string> inputs = {"q", "k", "v", "S0"};
  if (by_key) inputs.insert("log_alpha");
  Require(c, "inputs", c.inputs, {inputs, {}});
  Require(c, "outputs", c.outputs, {{"y", "S"}, {}});
  Require(c, "cotangents", c.cotangents, {{}, {"y", "S"}});
  Require(c, "gradients", c.gradients, {{}, inputs});
  for (const int64_t chunk : kChunks) {
    Problem p(c, "k");
    MatrixStateArguments<double> a = Arguments(c, p);
    std::vector<double> fixed;
    for (int64_t h = 0; h < a.heads; ++h) {
      fixed.push_back(std::log(1 - std::pow(2.0, -5.0 - static_cast<double>(h))));
    }
    a.decay = by_key ? MatrixDecay::kKey : MatrixDecay::kHead;
    if (by_key) a.log_decay = {p.vars["log_alpha"], 0};
    if (!by_key) a.fixed = fixed.data();
    a.chunk = chunk;
    const MatrixStateOutputs<double> out = MatrixState(p.tape, a, p.clock);
    comparison.Check(Name(chunk) + "y", p.Values(out.y), c.outputs.at("y"));
    comparison.Check(Name(chunk) + "S", p.Values(out.last), c.outputs.at("S"));
    Seed(c, p.tape, "y", out.y);
    Seed(c, p.tape, "S", out.last);
    p.tape.Backward();
    CheckGradients(c, p, comparison);
  }
}

/// S [B, H, d_k, d_v] with c [B, H, d_k] as its last column, and back.
struct JoinedState {
  std::vector<double> joined;

  JoinedState(const Array<double>& s, const Array<double>& c) {
    const int64_t d_v = s.shape().Back(0);
    for (int64_t i = 0; i < c.size(); ++i) {
      joined.insert(joined.end(), s.data() + i * d_v, s.data() + (i + 1) * d_v);
      joined.push_back(c[i]);
    }
  }
};

struct SplitState {
  std::vector<double> s, c;

  SplitState(const double* joined, int64_t rows, int64_t d_v) {
    for (int64_t i = 0; i < rows; ++i, joined += d_v + 1) {
      s.insert(s.end(), joined, joined + d_v);
      c.push_back(joined[d_v]);
    }
  }
};

}  // namespace

void RunRetention(const ReferenceCase& c, Comparison& comparison) {
  RunDecaying(c, false, comparison);
}

void RunGla(const ReferenceCase& c, Comparison& comparison) { RunDecaying(c, true, comparison); }

void RunLinearAttention(const ReferenceCase& c, Comparison& comparison) {
  RequireSettings(c, {}, {"mode"});
  const std::string& mode = c.words.at("mode");
  const bool normalised = mode == "elu1_normalised";
  if (!normalised && mode != "identity_unnormalised") {
    Fail(ExitCode::kBadData, c.file + ": /settings/mode is \"" + mode + "\"");
  }
  const std::set<std::string> inputs = {"q", "k", "v", "S0", "c0"};
  Require(c, "inputs", c.inputs, {inputs, {}});
  Require(c, "outputs", c.outputs, {{"y", "S", "c"}, {}});
  Require(c, "cotangents", c.cotangents, {{"y", "S", "c"}, {}});
  Require(c, "gradients", c.gradients, {inputs, {}});
  const int64_t rows = c.inputs.at("c0").size();
  for (const int64_t chunk : kChunks) {
    Problem p(c, "k");
    MatrixStateArguments<double> a = Arguments(c, p);
    const JoinedState start(c.inputs.at("S0"), c.inputs.at("c0"));
    a.before = p.tape.Watch({p.clock.B, a.heads, a.d_k, a.d_v + 1}, start.joined.data());
    a.ones = true;
    a.chunk = chunk;
    if (normalised) {
      a.q.from = MapFeatures(p.tape, FeatureMap::kEluPlusOne, a.q.from, a.heads, a.d_k);
      a.k.from = MapFeatures(p.tape, FeatureMap::kEluPlusOne, a.k.from, a.heads, a.d_k);
    }
    const MatrixStateOutputs<double> out = MatrixState(p.tape, a, p.clock);
    const SplitState last(p.tape.value(out.last), rows, a.d_v);
    comparison.Check(Name(chunk) + "S", last.s, c.outputs.at("S"));
    comparison.Check(Name(chunk) + "c", last.c, c.outputs.at("c"));
    const Array<double>& gy = c.cotangents.at("y");
    std::vector<double> joined;  // what a read without normalisation is seeded with
    if (normalised) {
      const Var<double> y = NormalisedRead(p.tape, out.y, a.heads, 0, p.clock);
      comparison.Check(Name(chunk) + "y", p.Values(y), c.outputs.at("y"));
      p.tape.Seed(y, gy.data());
    } else {
      const SplitState read(p.tape.value(out.y), gy.size() / a.d_v, a.d_v);
      comparison.Check(Name(chunk) + "y", read.s, c.outputs.at("y"));
      joined = JoinedState(gy, Array<double>(Shape{gy.size() / a.d_v})).joined;
      p.tape.Seed(out.y, joined.data());
    }
    const JoinedState glast(c.cotangents.at("S"), c.cotangents.at("c"));
    p.tape.Seed(out.last, glast.joined.data());
    p.tape.Backward();
    for (const char* name : {"q", "k", "v"}) {
      comparison.Check(Name(chunk) + "gradient of " + name,
                       {p.tape.grad(p.vars[name]), c.gradients.at(name).flat().size()},
                       c.gradients.at(name));
    }
    const SplitState gstart(p.tape.grad(a.before), rows, a.d_v);
    comparison.Check(Name(chunk) + "gradient of S0", gstart.s, c.gradients.at("S0"));
    comparison.Check(Name(chunk) + "gradient of c0", gstart.c, c.gradients.at("c0"));
  }
}

void RunSsd(const ReferenceCase& c, Comparison& comparison) {
  RequireSettings(c, {}, {});
  const std::set<std::string> inputs = {"x", "delta", "delta_bias", "A_log", "B", "C", "D", "h0"};
  Require(c, "inputs", c.inputs, {inputs, {}});
  Require(c, "outputs", c.outputs, {{"y", "state"}, {}});
  Require(c, "cotangents", c.cotangents, {{"y", "state"}, {}});
  Require(c, "gradients", c.gradients, {inputs, {}});
  const Shape& x = c.inputs.at("x").shape();
  const Shape& h0 = c.inputs.at("h0").shape();  // [B, H, P, N]; here [B, H, N, P]
  const auto turned = [&](std::span<const double> from, int64_t rows, int64_t columns) {
    std::vector<double> to(from.size());
    for (size_t i = 0; i < from.size(); ++i) {
      const int64_t n = static_cast<int64_t>(i), matrix = n / (rows * columns);
      const int64_t row = n / columns % rows, column = n % columns;
      to[static_cast<size_t>((matrix * columns + column) * rows + row)] = from[i];
    }
    return to;
  };
  for (const int64_t chunk : kChunks) {
    Problem p(c, "x");
    SsdInputArguments<double> steps;
    steps.raw = p.vars["delta"];
    steps.x = p.vars["x"];
    steps.log_a = p.vars["A_log"];
    steps.bias = p.vars["delta_bias"];
    steps.high = std::numeric_limits<double>::infinity();
    steps.channels = x[3];
    const SsdInputOutputs<double> in = SsdInput(p.tape, steps);
    const std::vector<double> start = turned(c.inputs.at("h0").flat(), h0[2], h0[3]);
    MatrixStateArguments<double> a;
    a.decay = MatrixDecay::kHead;
    a.heads = x[2];
    a.d_k = h0[3];
    a.d_v = x[3];
    a.chunk = chunk;
    a.q = {p.vars["C"], 0};
    a.k = {p.vars["B"], 0};
    a.v = {in.values, 0};
    a.log_decay = {in.log_decay, 0};
    a.before = p.tape.Watch({h0[0], h0[1], h0[3], h0[2]}, start.data());
    const MatrixStateOutputs<double> out = MatrixState(p.tape, a, p.clock);
    const Var<double> y = HeadSkip(p.tape, out.y, p.vars["x"], p.vars["D"]);
    comparison.Check(Name(chunk) + "y", p.Values(y), c.outputs.at("y"));
    comparison.Check(Name(chunk) + "state", turned(p.Values(out.last), h0[3], h0[2]),
                     c.outputs.at("state"));
    const std::vector<double> glast = turned(c.cotangents.at("state").flat(), h0[2], h0[3]);
    p.tape.Seed(out.last, glast.data());
    Seed(c, p.tape, "y", y);
    p.tape.Backward();
    for (const auto& [name, expected] : c.gradients) {
      const Var<double> var = name == "h0" ? a.before : p.vars[name];
      const std::span<const double> found(p.tape.grad(var), expected.flat().size());
      comparison.Check(Name(chunk) + "gradient of " + name,
                       name == "h0" ? turned(found, h0[3], h0[2])
                                    : std::vector<double>(found.begin(), found.end()),
                       expected);
    }
  }
}

}  // namespace ssm::reference
