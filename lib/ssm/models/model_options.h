// What a model is configured by.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ssm/kernels/pointwise.h"
#include "ssm/mixers/mixer_options.h"
#include "ssm/nn/linear_layer.h"
#include "ssm/nn/norm_layer.h"

namespace ssm {

using ActivationKind = kernels::Activation;
enum class OutputKind { kNone, kLinear, kGlu };
/// kUnbiased: no bias. kTied: no bias, and the weight is the encoder's table of tokens.
enum class ReadoutKind { kLinear, kUnbiased, kTied };

/// "mlp": x += W_out(activation(W_in x)), gated: activation(W_gate x) * (W_in x).
struct MlpOptions final : Configurable {
  double expand = 2;
  bool gated = true;
  ActivationKind activation = ActivationKind::kSilu;
  void VisitFields(FieldVisitor& visitor) override;
  /// Hidden width at a given d_model.
  int64_t Hidden(int64_t d_model) const;
};

/// One block: y = output(activation(mixer(norm x))); x += y (or x = y); x += mlp(norm x).
struct BlockOptions final : Configurable {
  explicit BlockOptions(const MixerRegistry& mixers) : mixer(mixers) {}
  NormKind norm = NormKind::kRms;
  bool residual = true;
  ActivationKind activation = ActivationKind::kGelu;
  OutputKind output = OutputKind::kGlu;
  double dropout = 0;
  bool has_mlp = true;
  MlpOptions mlp;
  OneOf<MixerOptions> mixer;
  void VisitFields(FieldVisitor& visitor) override;
};

struct ModelOptions final : Configurable {
  explicit ModelOptions(const MixerRegistry& mixers)
      : layers([&mixers] { return std::make_unique<BlockOptions>(mixers); }) {}
  int64_t d_model = 64;
  NormKind encoder_norm = NormKind::kNone;
  NormKind final_norm = NormKind::kRms;
  ReadoutKind readout = ReadoutKind::kLinear;
  LinearStart ends = LinearStart::kDrawn;
  StackOf<BlockOptions> layers;
  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  /// Where the mixer of a layer stands.
  MixerContext ContextOf(int64_t layer) const;
  /// Opens the files that mixers name: see MixerOptions::Load.
  void Load(const std::string& directory);
  /// SHA-256 of the digests of all that Load read, layer by layer; empty where it read nothing.
  std::string FileDigest() const;
};

/// What flows in and out, as a task states it.
struct ModelIo {
  struct Field {
    std::string name;
    int64_t vocabulary = 0;
  };
  int64_t reals = 0;
  std::vector<Field> tokens;
  int64_t outputs = 1;
};

/// Ends that are the identity carry each input and output in a channel of its own: d_model of both
/// at most, and no tokens. A tied readout needs one token field, of as many ids as there are
/// outputs. @throws Error(kBadConfig) for what does not fit.
void RequireEndsFit(const ModelOptions& options, const ModelIo& io);

}  // namespace ssm
