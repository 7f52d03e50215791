#include <algorithm>
#include <cmath>
#include <memory>

#include "reference/reference_kinds.h"
#include "ssm/autograd/clock.h"
#include "ssm/autograd/ops/wkv.h"
#include "ssm/base/errors.h"
#include "ssm/config/config_file.h"
#include "ssm/io/safetensors.h"
#include "ssm/models/sequence_model.h"

namespace ssm::reference {
namespace {

std::span<const double> Numbers(const Tape<double>& tape, Var<double> var, const double* numbers) {
  SSM_CHECK(numbers != nullptr, "no gradient reached an input");
  return {numbers, static_cast<size_t>(tape.shape(var).size())};
}

/// The published state (aa, bb) e^pp as mean and logarithm.
struct WkvStart {
  Array<double> mean, log_weight;

  explicit WkvStart(const ReferenceCase& c)
      : mean(c.inputs.at("aa0").shape()), log_weight(mean.shape()) {
    const Array<double>&aa = c.inputs.at("aa0"), &bb = c.inputs.at("bb0"), &pp = c.inputs.at("pp0");
    for (int64_t i = 0; i < mean.size(); ++i) {
      if (bb[i] <= 0) Fail(ExitCode::kBadData, c.file + ": bb0 is a weight, above 0");
      mean[i] = aa[i] / bb[i];
      log_weight[i] = pp[i] + std::log(bb[i]);
    }
  }
};

void CheckLayout(const ReferenceCase& c) {
  const std::set<std::string> inputs = {"time_decay", "time_first", "k", "v", "aa0", "bb0", "pp0"};
  RequireSettings(c, {}, {});
  Require(c, "inputs", c.inputs, {inputs, {}});
  Require(c, "outputs", c.outputs, {{"y", "num", "den"}, {}});
  Require(c, "cotangents", c.cotangents, {{"y"}, {}});
  Require(c, "gradients", c.gradients,
          {{"time_decay", "time_first", "k", "v", "aa0", "bb0"}, {"pp0"}});
  const Shape& k = c.inputs.at("k").shape();
  if (k.rank() != 3) Fail(ExitCode::kBadData, c.file + ": k is [B, T, D]");
  Shaped(c, c.inputs, "v", k);
  for (const char* name : {"time_decay", "time_first"}) Shaped(c, c.inputs, name, {k[2]});
  for (const char* name : {"aa0", "bb0", "pp0"}) Shaped(c, c.inputs, name, {k[0], k[2]});
}

/// dL/daa0, dL/dbb0 and dL/dpp0 by the chain rule.
void CheckStateGradients(const ReferenceCase& c, const WkvStart& start, const double* g_mean,
                         const double* g_log, Comparison& comparison) {
  const Array<double>& bb = c.inputs.at("bb0");
  Array<double> g_aa(bb.shape()), g_bb(bb.shape()), g_pp(bb.shape());
  for (int64_t i = 0; i < bb.size(); ++i) {
    g_aa[i] = g_mean[i] / bb[i];
    g_bb[i] = (g_log[i] - g_mean[i] * start.mean[i]) / bb[i];
    g_pp[i] = g_log[i];
  }
  comparison.Check("gradient of aa0", g_aa.flat(), c.gradients.at("aa0"));
  comparison.Check("gradient of bb0", g_bb.flat(), c.gradients.at("bb0"));
  if (c.gradients.count("pp0") == 0) return;
  comparison.Check("gradient of pp0", g_pp.flat(), c.gradients.at("pp0"));
}

/// Weights are stored in single precision, logits computed from what they were before: weights
/// moved at random within their last bit move these logits by 0.7e-7 to 1.4e-7 of the largest.
constexpr double kSingleWeights = 5e-7;

/// A tensor of a checkpoint, widened.
Array<double> Weight(const TensorFile& file, const std::string& name) {
  const NamedTensor* tensor = file.Find(name);
  if (tensor == nullptr) Fail(ExitCode::kBadData, "the weights have no tensor " + name);
  const Array<float>* values = std::get_if<Array<float>>(&tensor->values);
  if (values == nullptr) Fail(ExitCode::kBadData, "the weights' tensor " + name + " is not F32");
  return Cast<double>(*values);
}

/// A model of this library whose parameters have the published checkpoint's values.
class LanguageModel {
 public:
  LanguageModel(int64_t layers, int64_t width, int64_t vocabulary, const TensorFile& file)
      : options_(Registry()) {
    std::string blocks;
    for (int64_t i = 0; i < layers; ++i) {
      blocks += std::string(i == 0 ? "" : ", ") +
                R"({"mixer": {"type": "rwkv4"}}, {"mixer": {"type": "rwkv4_channel_mix"}})";
    }
    ReadConfigText(
        R"({"encoder_norm": "layer", "final_norm": "layer", "readout": "unbiased", "block": )"
        R"({"norm": "layer", "activation": "none", "output": "none", "mlp": "none"}, )"
        R"("d_model": )" +
            std::to_string(width) + R"(, "layers": [)" + blocks + "]}",
        "the case's model", {}, options_);
    const ModelIo io{.tokens = {{"id", vocabulary}}, .outputs = vocabulary};
    model_ = std::make_unique<SequenceModel<double>>(options_, io, 0);
    values_ = std::make_unique<Parameters<double>>(model_->parameters());
    const std::vector<ParameterInfo>& infos = model_->parameters().infos();
    if (infos.size() != file.tensors.size()) {
      Fail(ExitCode::kBadData, "the weights have tensors that an RWKV-4 does not");
    }
    for (const ParameterInfo& info : infos) {
      const Array<double> weight = Weight(file, Published(info.name));
      SSM_CHECK(weight.size() == info.param.shape.size(), info.name + " has another size");
      std::ranges::copy(weight.flat(), values_->values(info).begin());
    }
    values_->Touch();
  }

  /// Logits [B, T, V] of all tokens at once.
  Array<double> Whole(const IntArray& ids) const {
    Tape<double> tape(Mode::kInfer, values_->View());
    const State<double> state = model_->InitialState(ids.shape()[0]);
    const Piece<double> piece{nullptr, &ids, nullptr, nullptr, nullptr};
    const ModelOutputs<double> out =
        model_->Forward(tape, piece, BindConstant(tape, state), {}, 1, Dropout{}, Want::kOutput);
    Array<double> result(tape.shape(out.y));
    std::copy_n(tape.value(out.y), result.size(), result.data());
    return result;
  }
  /// The same token by token.
  Array<double> Steps(const IntArray& ids) const {
    const int64_t rows = ids.shape()[0], steps = ids.shape()[1], width = model_->io().outputs;
    const auto stepper = model_->MakeStepper(rows, values_->View(), 1);
    State<double> state = model_->InitialState(rows);
    Array<double> result(Shape{rows, steps, width}), y(Shape{rows, width});
    std::vector<int64_t> tokens(static_cast<size_t>(rows)), pos(tokens.size());
    for (int64_t t = 0; t < steps; ++t) {
      for (int64_t b = 0; b < rows; ++b) tokens[static_cast<size_t>(b)] = ids[b * steps + t];
      std::ranges::fill(pos, t);
      stepper->Step({nullptr, tokens.data(), nullptr, pos.data()}, state.slots, y.data());
      for (int64_t b = 0; b < rows; ++b) {
        std::copy_n(y.data() + b * width, width, result.data() + (b * steps + t) * width);
      }
    }
    return result;
  }

 private:
  static const MixerRegistry& Registry() {
    static const MixerRegistry registry = [] {
      MixerRegistry mixers;
      RegisterMixers(mixers);
      return mixers;
    }();
    return registry;
  }
  /// What a parameter of this library's model is called in checkpoints: layers 2 i and 2 i + 1 are
  /// block i.
  static std::string Published(const std::string& name) {
    const std::pair<const char*, const char*> ends[] = {{"encoder.tokens.id.", "emb."},
                                                        {"encoder.norm.", "blocks.0.ln0."},
                                                        {"final_norm.", "ln_out."},
                                                        {"readout.", "head."}};
    for (const auto& [ours, theirs] : ends) {
      if (name.starts_with(ours)) return theirs + name.substr(std::string(ours).size());
    }
    const size_t dot = name.find('.', 7);  // layers.N.norm.weight, layers.N.mixer.key.weight
    const int layer = std::stoi(name.substr(7, dot - 7));
    const std::string block = "blocks." + std::to_string(layer / 2) + ".";
    const bool feeds_forward = layer % 2 == 1, is_norm = name.compare(dot + 1, 5, "norm.") == 0;
    if (is_norm) return block + (feeds_forward ? "ln2." : "ln1.") + name.substr(dot + 6);
    return block + (feeds_forward ? "ffn." : "att.") + name.substr(dot + 7);
  }

  ModelOptions options_;
  std::unique_ptr<SequenceModel<double>> model_;
  std::unique_ptr<Parameters<double>> values_;
};

/// Tokens [B, T, 1].
IntArray Tokens(const ReferenceCase& c, double vocabulary) {
  const Array<double>& ids = c.inputs.at("ids");
  if (ids.shape().rank() != 2) Fail(ExitCode::kBadData, c.file + ": ids are [B, T]");
  IntArray tokens(Shape{ids.shape()[0], ids.shape()[1], 1});
  for (int64_t i = 0; i < ids.size(); ++i) {
    const bool is_token = ids[i] >= 0 && ids[i] < vocabulary && ids[i] == std::floor(ids[i]);
    if (!is_token) Fail(ExitCode::kBadData, c.file + ": an id is outside the vocabulary");
    tokens[i] = static_cast<int64_t>(ids[i]);
  }
  return tokens;
}

}  // namespace

void RunWkv4(const ReferenceCase& c, Comparison& comparison) {
  CheckLayout(c);
  const WkvStart start(c);
  Tape<double> tape(Mode::kTrain);
  std::map<std::string, Var<double>> vars;
  for (const char* name : {"k", "v", "time_decay", "time_first"}) {
    vars[name] = tape.Watch(c.inputs.at(name).shape(), c.inputs.at(name).data());
  }
  const Var<double> mean = tape.Watch(start.mean.shape(), start.mean.data());
  const Var<double> log_weight = tape.Watch(start.mean.shape(), start.log_weight.data());
  // Rows that have come from somewhere read their initial state.
  const Shape& k = c.inputs.at("k").shape();
  const std::vector<int64_t> steps(static_cast<size_t>(k[0]), 1);
  const Clock clock = MakeClock(tape, std::span(steps), k[1], nullptr, nullptr);
  const WkvOutputs<double> out = Wkv<double>(
      tape, {vars["k"], vars["v"], vars["time_decay"], vars["time_first"], mean, log_weight},
      clock);
  comparison.Check("y", Numbers(tape, out.y, tape.value(out.y)), Shaped(c, c.outputs, "y", k));
  Array<double> numerator(start.mean.shape()), denominator(start.mean.shape());
  for (int64_t i = 0; i < numerator.size(); ++i) {
    denominator[i] = std::exp(tape.value(out.log_weight)[i]);
    numerator[i] = denominator[i] * tape.value(out.mean)[i];
  }
  comparison.Check("num", numerator.flat(), c.outputs.at("num"));
  comparison.Check("den", denominator.flat(), c.outputs.at("den"));
  tape.Seed(out.y, Shaped(c, c.cotangents, "y", k).data());
  tape.Backward();
  for (const auto& [name, var] : vars) {
    comparison.Check("gradient of " + name, Numbers(tape, var, tape.grad(var)),
                     Shaped(c, c.gradients, name, tape.shape(var)));
  }
  CheckStateGradients(c, start, Numbers(tape, mean, tape.grad(mean)).data(),
                      Numbers(tape, log_weight, tape.grad(log_weight)).data(), comparison);
}

void RunRwkv4Lm(const ReferenceCase& c, Comparison& comparison) {
  RequireSettings(c, {"n_embd", "n_layer", "vocab_size", "ctx_len"}, {"weights"});
  Require(c, "inputs", c.inputs, {{"ids"}, {}});
  Require(c, "outputs", c.outputs, {{"logits"}, {}});
  Require(c, "cotangents", c.cotangents, {});
  Require(c, "gradients", c.gradients, {});
  const IntArray ids = Tokens(c, c.numbers.at("vocab_size"));
  const TensorFile file = ReadSafetensors(c.folder + c.words.at("weights"));
  const auto vocabulary = static_cast<int64_t>(c.numbers.at("vocab_size"));
  const LanguageModel model(static_cast<int64_t>(c.numbers.at("n_layer")),
                            static_cast<int64_t>(c.numbers.at("n_embd")), vocabulary, file);
  const Array<double>& logits =
      Shaped(c, c.outputs, "logits", {ids.shape()[0], ids.shape()[1], vocabulary});
  comparison.Check("logits", model.Whole(ids).flat(), logits, kSingleWeights);
  comparison.Check("logits, token by token", model.Steps(ids).flat(), logits, kSingleWeights);
}

}  // namespace ssm::reference
