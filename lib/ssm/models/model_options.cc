#include "ssm/models/model_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/base/sha256.h"
#include "ssm/base/text.h"
#include "ssm/models/widths.h"

namespace ssm {
namespace {

constexpr int64_t kMaxLayers = 1024;
constexpr double kMaxExpand = 64;

/// Faults of an object that lies below another.
class FaultsBelow final : public Faults {
 public:
  FaultsBelow(Faults& above, std::string path) : above_(above), path_(std::move(path)) {}
  void Add(std::string_view key, std::string_view sentence) override {
    above_.Add(path_ + "/" + std::string(key), sentence);
  }

 private:
  Faults& above_;
  std::string path_;
};

void VisitNorm(FieldVisitor& visitor, const char* name, NormKind& kind, Doc doc) {
  visitor.Choice<NormKind>(
      name, kind, {{"none", NormKind::kNone}, {"layer", NormKind::kLayer}, {"rms", NormKind::kRms}},
      doc);
}

void VisitActivation(FieldVisitor& visitor, ActivationKind& kind, Doc doc) {
  visitor.Choice<ActivationKind>("activation", kind,
                                 {{"none", ActivationKind::kNone},
                                  {"gelu", ActivationKind::kGelu},
                                  {"silu", ActivationKind::kSilu},
                                  {"relu", ActivationKind::kRelu},
                                  {"tanh", ActivationKind::kTanh},
                                  {"sigmoid", ActivationKind::kSigmoid}},
                                 doc);
}

}  // namespace

void MlpOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Real("expand", expand, {.min = 0, .max = kMaxExpand, .open_min = true},
               "hidden width as a multiple of d_model, rounded");
  visitor.Bool("gated", gated,
               "whether a second projection is multiplied in (SwiGLU and its like)");
  VisitActivation(visitor, activation, "of the hidden layer, or of its gate");
}

int64_t MlpOptions::Hidden(int64_t d_model) const {
  return std::llround(expand * static_cast<double>(d_model));
}

void BlockOptions::VisitFields(FieldVisitor& visitor) {
  VisitNorm(visitor, "norm", norm, "of what the mixer and the mlp read");
  visitor.Bool("residual", residual, "x += y if true, x = y if false");
  VisitActivation(visitor, activation, "of the mixer's output");
  visitor.Choice<OutputKind>(
      "output", output,
      {{"none", OutputKind::kNone}, {"linear", OutputKind::kLinear}, {"glu", OutputKind::kGlu}},
      "projection after the activation; glu is gated by a sigmoid");
  visitor.Real("dropout", dropout, {.min = 0, .max = 1, .open_max = true},
               "share of zeros in what is added to x, in training");
  visitor.OptionalObject("mlp", has_mlp, mlp, "x += mlp(norm x), or \"none\"");
  visitor.Tagged("mixer", mixer, "what mixes over time");
}

void ModelOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Int("d_model", d_model, {1, kMostChannels}, "channels between blocks");
  VisitNorm(visitor, "encoder_norm", encoder_norm, "of what the first block reads");
  VisitNorm(visitor, "final_norm", final_norm, "of what the readout reads");
  visitor.Choice<ReadoutKind>("readout", readout,
                              {{"linear", ReadoutKind::kLinear},
                               {"unbiased", ReadoutKind::kUnbiased},
                               {"tied", ReadoutKind::kTied}},
                              "outputs: a weight and a bias, a weight alone, or the encoder's "
                              "table of tokens as the weight");
  visitor.Choice<LinearStart>(
      "ends", ends, {{"drawn", LinearStart::kDrawn}, {"identity", LinearStart::kIdentity}},
      "how encoder and readout start: at random, or with real inputs in the first channels and the "
      "first channels as outputs, as they are; trained either way");
  visitor.Stack("block", "layers", layers, {1, kMaxLayers},
                "blocks: a number, or one patch of the block for each");
}

void ModelOptions::Check(Faults& faults) const {
  if (d_model == kOpenWidth) return;
  for (int64_t i = 0; i < layers.size(); ++i) {
    const BlockOptions& block = layers.at(i);
    const std::string layer = "layers/" + std::to_string(i);
    if (block.has_mlp && block.mlp.Hidden(d_model) < 1) {
      faults.Add(layer + "/mlp/expand",
                 "the hidden width, expand * d_model rounded, is 0; it must be at least 1");
    }
    FaultsBelow faults_of_mixer(faults, layer + "/mixer");
    if (block.mixer.get() != nullptr) {
      block.mixer->CheckIn(ContextOf(i), faults_of_mixer);
    }
  }
}

MixerContext ModelOptions::ContextOf(int64_t layer) const {
  MixerContext context{d_model, layer, layers.size(), 0, 0};
  const std::string& type = layers.at(layer).mixer.type();
  for (int64_t i = 0; i < layers.size(); ++i) {
    if (layers.at(i).mixer.type() != type) continue;
    if (i < layer) ++context.layer_of_type;
    ++context.layers_of_type;
  }
  return context;
}

void ModelOptions::Load(const std::string& directory) {
  for (int64_t i = 0; i < layers.size(); ++i) {
    layers.at(i).mixer->Load(directory, ContextOf(i));
  }
}

std::string ModelOptions::FileDigest() const {
  std::string digests;
  for (int64_t i = 0; i < layers.size(); ++i) {
    const std::string digest = layers.at(i).mixer->DataDigest();
    if (!digest.empty()) digests += std::to_string(i) + " " + digest + "\n";
  }
  return digests.empty() ? "" : Sha256(digests);
}

void RequireEndsFit(const ModelOptions& options, const ModelIo& io) {
  if (options.readout == ReadoutKind::kTied &&
      (io.tokens.size() != 1 || io.tokens.front().vocabulary != io.outputs)) {
    std::string fields;
    for (const ModelIo::Field& field : io.tokens) {
      fields += fmt::format("{}{} of {}", fields.empty() ? "" : ", ", Quote(field.name),
                            FormatCount(field.vocabulary, "id"));
    }
    Fail(ExitCode::kBadConfig,
         fmt::format("model.readout is \"tied\", but the task has {} and {}: a table serves both "
                     "ends where there is one token field of as many ids as outputs; set "
                     "\"linear\" or \"unbiased\"",
                     fields.empty() ? "no token field" : "token field " + fields,
                     FormatCount(io.outputs, "output")));
  }
  if (options.ends != LinearStart::kIdentity) return;
  const auto refuse = [](const std::string& sentence) {
    Fail(ExitCode::kBadConfig, "model.ends is \"identity\", but " + sentence);
  };
  if (!io.tokens.empty()) {
    refuse(
        fmt::format("the task's token field {} has no channel of its own to start in: leave it "
                    "\"drawn\"",
                    Quote(io.tokens.front().name)));
  }
  if (io.reals > options.d_model || io.outputs > options.d_model) {
    refuse(
        fmt::format("the task has {} and {}, and each needs one of the d_model = {}: set "
                    "model.d_model to {} or more, or leave it \"drawn\"",
                    FormatCount(io.reals, "real input"), FormatCount(io.outputs, "output"),
                    FormatCount(options.d_model, "channel"), std::max(io.reals, io.outputs)));
  }
}

}  // namespace ssm
