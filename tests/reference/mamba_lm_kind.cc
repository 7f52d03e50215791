#include <fmt/format.h>

#include <algorithm>

#include "reference/reference_kinds.h"
#include "ssm/config/config_file.h"
#include "ssm/io/safetensors.h"
#include "ssm/models/sequence_model.h"

namespace ssm::reference {
namespace {

/// The published model: Add -> RMSNorm -> Mixer, a final norm and the table as readout.
ModelOptions OptionsOf(const ReferenceCase& c, const MixerRegistry& mixers) {
  RequireSettings(c,
                  {"hidden_size", "state_size", "num_hidden_layers", "vocab_size", "expand",
                   "conv_kernel", "time_step_rank", "layer_norm_epsilon"},
                  {"tie_word_embeddings", "weights"});
  if (c.words.at("tie_word_embeddings") != "true" || c.numbers.at("layer_norm_epsilon") != 1e-5) {
    Fail(ExitCode::kBadData, c.file + ": only tied embeddings and norms of 1e-5 are known");
  }
  const auto setting = [&c](const char* name) { return static_cast<int64_t>(c.numbers.at(name)); };
  const std::string json = fmt::format(
      R"({{"d_model": {}, "layers": {}, "readout": "tied", "block": {{"norm": "rms", )"
      R"("activation": "none", "output": "none", "mlp": "none", "mixer": {{"type": "mamba", )"
      R"("d_state": {}, "expand": {}, "d_conv": {}, "dt_rank": {}}}}}}})",
      setting("hidden_size"), setting("num_hidden_layers"), setting("state_size"),
      setting("expand"), setting("conv_kernel"), setting("time_step_rank"));
  ModelOptions options(mixers);
  ReadConfigText(json, c.file, {}, options);
  return options;
}

/// Weights are stored in single precision, logits computed from what they were before: rounding
/// moves these logits by 2.3e-8 of the largest. A second implementation on the stored weights, in
/// double, is off by the same amount.
constexpr double kSingleWeights = 6e-8;

/// What the published checkpoints call one of our tensors.
std::string PublishedName(const std::string& name) {
  if (name == "encoder.tokens.token.weight") return "backbone.embeddings.weight";
  if (name == "final_norm.weight") return "backbone.norm_f.weight";
  return "backbone." + name;
}

void LoadWeights(const ReferenceCase& c, Parameters<double>& parameters) {
  const std::string path = c.folder + c.words.at("weights");
  const TensorFile file = ReadSafetensors(path);
  size_t used = 0;
  for (const ParameterInfo& info : parameters.store().infos()) {
    const NamedTensor* tensor = file.Find(PublishedName(info.name));
    if (tensor == nullptr) {
      Fail(ExitCode::kBadData, path + " has no " + PublishedName(info.name));
    }
    const auto* values = std::get_if<Array<float>>(&tensor->values);
    const std::span<double> to = parameters.values(info);
    if (values == nullptr || values->flat().size() != to.size()) {
      Fail(ExitCode::kBadData, path + ": " + tensor->name + " is not what it should be");
    }
    std::ranges::copy(values->flat(), to.begin());
    ++used;
  }
  parameters.Touch();
  if (used != file.tensors.size()) Fail(ExitCode::kBadData, path + " holds tensors unknown here");
}

}  // namespace

void RunMambaLm(const ReferenceCase& c, Comparison& comparison) {
  Require(c, "inputs", c.inputs, {{"ids"}, {}});
  Require(c, "outputs", c.outputs, {{"logits"}, {}});
  Require(c, "cotangents", c.cotangents, {{}, {}});
  Require(c, "gradients", c.gradients, {{}, {}});
  MixerRegistry mixers;
  RegisterMixers(mixers);
  const ModelOptions options = OptionsOf(c, mixers);
  const int64_t vocabulary = static_cast<int64_t>(c.numbers.at("vocab_size"));
  const SequenceModel<double> model(
      options, {.reals = 0, .tokens = {{"token", vocabulary}}, .outputs = vocabulary}, 1);
  Parameters<double> parameters(model.parameters());
  LoadWeights(c, parameters);

  const Array<double>& ids = c.inputs.at("ids");
  if (ids.shape().rank() != 2) Fail(ExitCode::kBadData, c.file + ": ids is [B, T]");
  const int64_t rows = ids.shape()[0], steps = ids.shape()[1];
  IntArray tokens(Shape{rows, steps, 1});
  for (int64_t i = 0; i < ids.size(); ++i) tokens[i] = static_cast<int64_t>(ids[i]);
  const Array<double>& logits = Shaped(c, c.outputs, "logits", {rows, steps, vocabulary});
  Tape<double> tape(Mode::kInfer, parameters.View());
  std::vector<Var<double>> prepared(static_cast<size_t>(model.PreparedCount()));
  model.Prepare(tape, steps, 1, prepared);
  const State<double> state = model.InitialState(rows);
  const ModelOutputs<double> out = model.Forward(
      tape, {.tokens = &tokens}, BindConstant(tape, state), prepared, 1, {}, Want::kOutput);
  comparison.Check("logits", {tape.value(out.y), static_cast<size_t>(tape.shape(out.y).size())},
                   logits, kSingleWeights);
}

}  // namespace ssm::reference
