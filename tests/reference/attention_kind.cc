#include <algorithm>

#include "reference/reference_kinds.h"
#include "ssm/autograd/clock.h"
#include "ssm/autograd/ops/attention.h"
#include "ssm/autograd/ops/rotary.h"
#include "ssm/base/errors.h"

namespace ssm::reference {
namespace {

constexpr const char* kParts[] = {"q", "k", "v"};

/// Rows that all come from `before` tokens.
Clock ClockOf(Tape<double>& tape, int64_t rows, int64_t before, int64_t steps) {
  const std::vector<int64_t> all(static_cast<size_t>(rows), before);
  return MakeClock(tape, std::span(all), steps, nullptr, nullptr);
}

/// An array [B, T, heads, d_head] that the kind's files call `name`.
const Shape& HeadsShape(const ReferenceCase& c, const std::string& name) {
  const Shape& shape = c.inputs.at(name).shape();
  if (shape.rank() != 4) Fail(ExitCode::kBadData, c.file + ": " + name + " is [B, T, H, d_head]");
  return shape;
}

void RequireLayout(const ReferenceCase& c, const std::set<std::string>& inputs) {
  Require(c, "inputs", c.inputs, {inputs, {}});
  Require(c, "outputs", c.outputs, {{"y"}, {}});
  Require(c, "cotangents", c.cotangents, {{}, {"y"}});
  Require(c, "gradients", c.gradients, {{}, inputs});
}

std::span<const double> Numbers(const double* numbers, int64_t n) {
  SSM_CHECK(numbers != nullptr, "no gradient reached an input");
  return {numbers, static_cast<size_t>(n)};
}

/// The walk back from y, when the case has cotangents.
void Seed(const ReferenceCase& c, Tape<double>& tape, Var<double> y, const Shape& shape) {
  if (c.cotangents.count("y") > 0) tape.Seed(y, Shaped(c, c.cotangents, "y", shape).data());
  tape.Backward();
}

/// One part of rows [3, width].
std::vector<double> Part(std::span<const double> qkv, int64_t part, int64_t width) {
  std::vector<double> numbers;
  for (auto row = qkv.begin(); row != qkv.end(); row += 3 * width) {
    numbers.insert(numbers.end(), row + part * width, row + (part + 1) * width);
  }
  return numbers;
}

/// q, k and v of each token side by side.
Array<double> JoinParts(const ReferenceCase& c, const Shape& shape) {
  const int64_t width = shape[2] * shape[3], tokens = shape[0] * shape[1];
  Array<double> qkv(Shape{shape[0], shape[1], 3 * width});
  for (int64_t part = 0; part < 3; ++part) {
    const double* from = Shaped(c, c.inputs, kParts[part], shape).data();
    for (int64_t token = 0; token < tokens; ++token) {
      std::copy_n(from + token * width, width, qkv.data() + (3 * token + part) * width);
    }
  }
  return qkv;
}

}  // namespace

void RunRotary(const ReferenceCase& c, Comparison& comparison) {
  RequireSettings(c, {"first_position", "base"}, {});
  RequireLayout(c, {"x"});
  const Shape& shape = HeadsShape(c, "x");
  Tape<double> tape(Mode::kTrain);
  const Clock clock =
      ClockOf(tape, shape[0], static_cast<int64_t>(c.numbers.at("first_position")), shape[1]);
  const Var<double> x =
      tape.Watch({shape[0], shape[1], shape[2] * shape[3]}, c.inputs.at("x").data());
  const Var<double> y = Rotary(tape, x, shape[2], shape[3], c.numbers.at("base"), clock);
  comparison.Check("y", Numbers(tape.value(y), shape.size()), Shaped(c, c.outputs, "y", shape));
  Seed(c, tape, y, shape);
  if (c.gradients.count("x") == 0) return;
  comparison.Check("gradient of x", Numbers(tape.grad(x), shape.size()),
                   Shaped(c, c.gradients, "x", shape));
}

void RunWindowAttention(const ReferenceCase& c, Comparison& comparison) {
  RequireSettings(c, {"window"}, {});
  RequireLayout(c, {"q", "k", "v", "k_past", "v_past"});
  const Shape& shape = HeadsShape(c, "q");
  const int64_t window = static_cast<int64_t>(c.numbers.at("window"));
  const int64_t width = shape[2] * shape[3];
  const Shape past{shape[0], window - 1, shape[2], shape[3]};
  Tape<double> tape(Mode::kTrain);
  const Array<double> joined = JoinParts(c, shape);
  const Var<double> qkv = tape.Watch(joined.shape(), joined.data());
  std::map<std::string, Var<double>> caches;
  for (const char* name : {"k_past", "v_past"}) {
    caches[name] =
        tape.Watch({shape[0], window - 1, width}, Shaped(c, c.inputs, name, past).data());
  }
  // The oldest cached token is then at entry 0.
  const Clock clock = ClockOf(tape, shape[0], window - 1, shape[1]);
  const Var<double> y = Attention(tape, qkv, caches["k_past"], caches["v_past"],
                                  {.heads = shape[2], .window = window}, clock);
  comparison.Check("y", Numbers(tape.value(y), shape.size()), Shaped(c, c.outputs, "y", shape));
  Seed(c, tape, y, shape);
  for (int64_t part = 0; part < 3; ++part) {
    if (c.gradients.count(kParts[part]) == 0) continue;
    comparison.Check(std::string("gradient of ") + kParts[part],
                     Part(Numbers(tape.grad(qkv), joined.size()), part, width),
                     Shaped(c, c.gradients, kParts[part], shape));
  }
  for (const auto& [name, cache] : caches) {
    if (c.gradients.count(name) == 0) continue;
    comparison.Check("gradient of " + name, Numbers(tape.grad(cache), past.size()),
                     Shaped(c, c.gradients, name, past));
  }
}

}  // namespace ssm::reference
