// What a mixer is configured by, and how a configuration becomes a mixer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ssm/config/registry.h"
#include "ssm/mixers/sequence_mixer.h"
#include "ssm/nn/parameters.h"

namespace ssm {

/// Where a mixer stands in its model.
struct MixerContext {
  int64_t d_model = 0;
  int64_t layer = 0;
  int64_t layers = 1;
  int64_t layer_of_type = 0;   // layers of its own type before it
  int64_t layers_of_type = 1;  // all of them, itself counted
};

/// Which `kind` law holds: superposition and time invariance; superposition alone; y affine in the
/// initial state given the recorded coefficients; none of them.
enum class MixerKind { kTimeInvariant, kTimeVarying, kSelective, kNonlinear };

/// Initial values of one parameter tensor lie in [low, high].
struct InitialRange {
  std::string parameter;  // "log_dt", without the mixer's prefix
  double low = 0, high = 0;
};

/// One axis of a parameter that counts interchangeable modes.
struct ModeAxis {
  std::string parameter;
  int axis = 0;
};

/// What a mixer states about itself, for the laws to hold it to.
struct MixerProperties {
  std::vector<InitialRange> initial;  // law init: dt range, decay range, zeros where published
  std::vector<ModeAxis> modes;   // law modes: permuting all these axes at once changes no output
  bool zero_order_hold = false;  // law hold: dt/2 with every sample held twice changes nothing
  bool per_step_dt = true;       // takes Inputs::dt
  bool scaled_dt = false;        // without per_step_dt: takes dt_scale all the same
  bool quantises = false;  // rounds to a grid: the last bits of its input can move a whole step
  std::vector<int64_t> lengths;  // T at which it changes its route (chunk sizes): tried +-1
};

/// The options of one type of mixer: a struct of fields that can build itself in both scalars.
class MixerOptions : public Configurable {
 public:
  virtual MixerKind Kind() const = 0;
  /// Opens what the options name (files). Called once, after reading, before all that follows.
  /// `directory`: where relative paths of the config start. @throws Error(kMissingInput),
  /// Error(kBadData), Error(kBadConfig).
  virtual void Load(const std::string& /*directory*/, const MixerContext&) {}
  /// SHA-256 of the bytes that Load read; empty where it read none.
  virtual std::string DataDigest() const { return {}; }
  /// Conditions between fields and the place in the model; `faults` is told keys of these options.
  virtual void CheckIn(const MixerContext&, Faults&) const {}
  virtual MixerProperties Properties(const MixerContext&) const { return {}; }
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
