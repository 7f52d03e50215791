// What the laws are asked of. It hides whether that is one mixer or a whole model, so that each law
// is written once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ssm/models/sequence_model.h"
#include "ssm/verify/law_batch.h"

namespace ssm {

template <Scalar T>
struct LawOutputs {
  Var<T> x;           // the input as a leaf with a gradient; none when it cannot have one
  Var<T> y;           // [B, T, O]
  TapeState<T> next;  // slots empty under Want::kOutput
};

template <Scalar T>
class LawSubject {
 public:
  virtual ~LawSubject() = default;
  /// The same from the same options and seed, sharing nothing.
  virtual std::unique_ptr<LawSubject> Rebuild() const = 0;

  virtual const std::string& name() const = 0;
  virtual const LawIo& io() const = 0;
  virtual const ParameterStore& store() const = 0;
  virtual const std::vector<SlotSpec>& Slots() const = 0;
  /// Of the mixer; for a model, its layers' in order.
  virtual std::vector<MixerProperties> Properties() const = 0;
  /// "mixer." in front of its parameters; one for each of Properties().
  virtual std::vector<std::string> Prefixes() const = 0;
  /// The mixer's kind; a model has none (kNonlinear).
  virtual MixerKind Kind() const = 0;

  virtual int64_t PreparedCount() const = 0;
  virtual void Prepare(Tape<T>& tape, int64_t longest, T dt_scale, Prepared<T> prepared) const = 0;
  /// `batch` must outlive the tape's Backward.
  virtual LawOutputs<T> Forward(Tape<T>& tape, const LawBatch<T>& batch, const TapeState<T>& state,
                                Prepared<T> prepared, T dt_scale, Want want) const = 0;
  virtual std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                                  T dt_scale) const = 0;
};

/// `options` is borrowed.
template <Scalar T>
std::unique_ptr<LawSubject<T>> MixerSubject(const MixerOptions& options,
                                            const MixerContext& context, const std::string& name,
                                            uint64_t seed);
template <Scalar T>
std::unique_ptr<LawSubject<T>> ModelSubject(const ModelOptions& options, const ModelIo& io,
                                            const std::string& name, uint64_t seed);

}  // namespace ssm
