#include <algorithm>

#include "reference/reference_kinds.h"
#include "ssm/autograd/clock.h"
#include "ssm/base/errors.h"
#include "ssm/mixers/transformer_xl.h"

namespace ssm::reference {
namespace {

constexpr int64_t kSegment = 32;

/// The parameter that stands for an input of the case, or a part of its rows.
struct Place {
  const char *input, *parameter;
  int64_t part = 0;
};
constexpr Place kPlaces[] = {{"Wq", "qkv.weight", 0},
                             {"Wk", "qkv.weight", 1},
                             {"Wv", "qkv.weight", 2},
                             {"Wr", "position.weight"},
                             {"u", "u"},
                             {"v", "v"}};

/// The mixer with the case's parameters and its output projection the identity.
struct Subject {
  Subject(const ReferenceCase& c, const TransformerXlOptions& options, int64_t width)
      : builder(store, 1),
        mixer(options, {.d_model = width}, builder),
        values(store),
        grads(Shape{store.flat_size()}) {
    for (const Place& place : kPlaces) {
      const Array<double>& from = c.inputs.at(place.input);
      std::copy_n(from.data(), from.size(), values.flat().data() + At(c, place));
    }
    const std::span<double> output = values.values(*store.Find("output.weight"));
    std::ranges::fill(output, 0);
    for (size_t i = 0; i < output.size(); i += static_cast<size_t>(width) + 1) output[i] = 1;
    values.Touch();
  }
  /// Where an input lies among the parameters.
  int64_t At(const ReferenceCase& c, const Place& place) const {
    return store.Find(place.parameter)->param.offset + place.part * c.inputs.at(place.input).size();
  }

  ParameterStore store;
  ParameterBuilder builder;
  TransformerXl<double> mixer;
  Parameters<double> values;
  Array<double> grads;
};

void CheckLayout(const ReferenceCase& c) {
  const std::set<std::string> inputs = {"x", "mem", "Wq", "Wk", "Wv", "Wr", "u", "v"};
  RequireSettings(c, {}, {});
  Require(c, "inputs", c.inputs, {inputs, {}});
  Require(c, "outputs", c.outputs, {{"y"}, {}});
  Require(c, "cotangents", c.cotangents, {{}, {"y"}});
  Require(c, "gradients", c.gradients, {{}, {"x", "Wq", "Wk", "Wv", "Wr", "u", "v"}});
  const Shape &x = c.inputs.at("x").shape(), &u = c.inputs.at("u").shape();
  if (x.rank() != 3 || c.inputs.at("mem").shape().rank() != 3 || u.rank() != 2) {
    Fail(ExitCode::kBadData, c.file + ": x is [B, T, D], mem [B, M, D], u [H, d_head]");
  }
  Shaped(c, c.inputs, "mem", {x[0], c.inputs.at("mem").shape()[1], x[2]});
  for (const char* weight : {"Wq", "Wk", "Wv", "Wr"}) Shaped(c, c.inputs, weight, {x[2], x[2]});
  Shaped(c, c.inputs, "v", u);
  if (u.size() != x[2] || x[1] > kSegment || c.inputs.at("mem").shape()[1] > kSegment) {
    Fail(ExitCode::kBadData, c.file + ": u has D numbers, x and mem at most 32 tokens");
  }
}

/// A state that comes to the beginning of its second segment, with the case's memory before it.
State<double> StateOf(const ReferenceCase& c, const TransformerXl<double>& mixer) {
  const Array<double>& memory = c.inputs.at("mem");
  const int64_t rows = memory.shape()[0], tokens = memory.shape()[1], width = memory.shape()[2];
  State<double> state = MakeState<double>(mixer.Slots(), rows);
  std::ranges::fill(state.steps, kSegment);
  const int64_t entries = state.slots[0].spec.entries;
  for (int64_t i = 0; i < rows * tokens; ++i) {
    const int64_t entry = (kSegment - tokens + i % tokens) % entries;
    std::copy_n(memory.data() + i * width, width,
                state.slots[0].data.data() + (i / tokens * entries + entry) * width);
  }
  return state;
}

}  // namespace

void RunTransformerXl(const ReferenceCase& c, Comparison& comparison) {
  CheckLayout(c);
  const Array<double>& x = c.inputs.at("x");
  TransformerXlOptions options;
  options.heads = c.inputs.at("u").shape()[0];
  options.segment = kSegment;
  options.mem_len = c.inputs.at("mem").shape()[1];
  Subject subject(c, options, x.shape()[2]);
  State<double> state = StateOf(c, subject.mixer);

  Tape<double> tape(Mode::kTrain, subject.values.View(subject.grads.data()));
  const TapeState<double> before = Watch(tape, state);
  const Var<double> in = tape.Watch(x.shape(), x.data());
  const Clock clock = MakeClock(tape, std::span(state.steps), x.shape()[1], nullptr, nullptr);
  const std::span<Var<double>> prepared = tape.NewVars(1);
  subject.mixer.Prepare(tape, x.shape()[1], 1, prepared);
  Inputs<double> inputs;
  inputs.x = in;
  inputs.clock = &clock;
  const Outputs<double> out =
      subject.mixer.Forward(tape, inputs, before.slots, prepared, Want::kOutput);
  const size_t size = static_cast<size_t>(x.size());
  comparison.Check("y", {tape.value(out.y), size}, Shaped(c, c.outputs, "y", x.shape()));
  if (c.cotangents.count("y") == 0) return;
  tape.Seed(out.y, Shaped(c, c.cotangents, "y", x.shape()).data());
  tape.Backward();
  comparison.Check("gradient of x", {tape.grad(in), size}, Shaped(c, c.gradients, "x", x.shape()));
  for (const Place& place : kPlaces) {
    const Array<double>& expected =
        Shaped(c, c.gradients, place.input, c.inputs.at(place.input).shape());
    comparison.Check(
        std::string("gradient of ") + place.input,
        {subject.grads.data() + subject.At(c, place), static_cast<size_t>(expected.size())},
        expected);
  }
  // The memory is stopped: its gradient is 0 to the bit.
  const Array<double> none(state.slots[0].data.shape());
  if (const double* grad = tape.grad(before.slots[0])) {
    comparison.Check("gradient of mem", {grad, static_cast<size_t>(none.size())}, none);
  }
}

}  // namespace ssm::reference
