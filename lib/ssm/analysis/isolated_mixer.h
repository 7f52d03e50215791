// One layer's mixer by itself, out of its model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ssm/models/model_options.h"

namespace ssm {

/// The mixer of one layer without the norm, activation and projections around it, in double
/// whatever a run trains in.
class IsolatedMixer {
 public:
  /// Layer `layer` of a model of these options, with its own initial values.
  IsolatedMixer(const ModelOptions& options, int64_t layer, uint64_t seed);

  /// The values that this mixer has in a model of the same options.
  /// @throws Error(kInternal) where the model lacks one of them.
  template <Scalar T>
  void Take(const Parameters<T>& model);

  const std::string& type() const { return type_; }
  /// Whether superposition and time invariance hold, so that a kernel tells everything.
  bool time_invariant() const { return kind_ == MixerKind::kTimeInvariant; }
  MixerKind kind() const { return kind_; }
  int64_t channels() const { return channels_; }
  const SequenceMixer<double>& mixer() const { return *mixer_; }
  const Parameters<double>& values() const { return *values_; }
  ParameterStore& store() { return *store_; }
  Parameters<double>& values() { return *values_; }

  std::vector<LinearMode> Modes(double dt_scale) const;
  double DecayBound(double dt_scale) const;
  std::unique_ptr<Stepper<double>> MakeStepper(int64_t rows, double dt_scale) const;
  State<double> Fresh(int64_t rows) const;

 private:
  std::string type_;
  MixerKind kind_;
  int64_t channels_;
  std::unique_ptr<ParameterStore> store_;
  std::unique_ptr<SequenceMixer<double>> mixer_;
  std::unique_ptr<Parameters<double>> values_;
};

/// An IsolatedMixer that is stepped from its fresh state, a token for all rows at a time.
class MixerRun {
 public:
  MixerRun(const IsolatedMixer& mixer, int64_t rows, double dt_scale);
  /// x [rows, channels]; the result, of the same shape, stands until the next step.
  const std::vector<double>& Step(const std::vector<double>& x);
  const State<double>& state() const { return state_; }

 private:
  std::unique_ptr<Stepper<double>> stepper_;
  State<double> state_;
  std::vector<int64_t> position_;
  std::vector<double> y_;
};

}  // namespace ssm
