// What a mixer is configured by, and how a configuration becomes a mixer.
#pragma once

#include <memory>
#include <string>

#include "ssm/config/registry.h"
#include "ssm/mixers/sequence_mixer.h"
#include "ssm/nn/parameters.h"

namespace ssm {

/// Where a mixer stands in its model.
struct MixerContext {
  int64_t d_model = 0;
  int64_t layer = 0;
  int64_t layers = 1;
};

/// Which `kind` law holds: superposition and time invariance; y affine in the initial state given
/// the recorded coefficients; neither.
enum class MixerKind { kTimeInvariant, kSelective, kNonlinear };

/// The options of one type of mixer: a struct of fields that can build itself in both scalars.
class MixerOptions : public Configurable {
 public:
  virtual MixerKind Kind() const = 0;
  virtual std::unique_ptr<SequenceMixer<float>> BuildFloat(const MixerContext&,
                                                           ParameterBuilder&) const = 0;
  virtual std::unique_ptr<SequenceMixer<double>> BuildDouble(const MixerContext&,
                                                             ParameterBuilder&) const = 0;
};

/// Implements both Build functions by constructing Mixer<T>(options, context, parameters).
template <class Options, template <Scalar> class Mixer>
class BuildsMixer : public MixerOptions {
 public:
  std::unique_ptr<SequenceMixer<float>> BuildFloat(const MixerContext& context,
                                                   ParameterBuilder& parameters) const final {
    return std::make_unique<Mixer<float>>(static_cast<const Options&>(*this), context, parameters);
  }
  std::unique_ptr<SequenceMixer<double>> BuildDouble(const MixerContext& context,
                                                     ParameterBuilder& parameters) const final {
    return std::make_unique<Mixer<double>>(static_cast<const Options&>(*this), context, parameters);
  }
};

using MixerRegistry = Registry<MixerOptions>;

/// Every mixer of the library, one line each. Explicit: static initialisers are dropped from static
/// libraries.
void RegisterMixers(MixerRegistry& registry);

}  // namespace ssm
