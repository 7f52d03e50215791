// One layer of a model: a mixer, what surrounds it, and an mlp.
#pragma once

#include <memory>

#include "ssm/models/model_options.h"
#include "ssm/nn/linear_layer.h"
#include "ssm/nn/mlp.h"
#include "ssm/nn/norm_layer.h"

namespace ssm {

/// y = output(activation(mixer(norm x))); x += y, or x = y; x += mlp(mlp_norm x). Parameters
/// norm.*, mixer.*, output.*, mlp_norm.*, mlp.*.
template <Scalar T>
class Block {
 public:
  Block(const BlockOptions& options, const MixerContext& context,
        const ParameterBuilder& parameters);

  const SequenceMixer<T>& mixer() const { return *mixer_; }

  /// `in.x` is the residual stream [B, T, D]; the result's y is it, after the block. Dropout is
  /// drawn where in.dropout.key is not 0.
  /// `tap`, where given, gets what the mixer reads.
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want, Array<T>* tap = nullptr) const;

  /// Numbers of scratch StepRows needs.
  int64_t ScratchSize(int64_t rows) const;
  /// x [rows, D] in place for one token a row; `mixer` is this block's stepper. Allocates nothing.
  void StepRows(const ParamView<T>& params, int64_t rows, const StepInputs<T>& in,
                std::span<Slot<T>> state, Stepper<T>& mixer, T* x, T* scratch) const;

 private:
  Var<T> Project(Tape<T>& tape, Var<T> y) const;
  void ProjectRows(const ParamView<T>& params, int64_t rows, T* y, T* wide) const;
  Var<T> Drop(Tape<T>& tape, Var<T> y, const Inputs<T>& in, int64_t site) const;

  int64_t d_model_, layer_;
  bool residual_, has_mlp_;
  ActivationKind activation_;
  OutputKind output_kind_;
  double dropout_;
  NormLayer norm_, mlp_norm_;
  LinearLayer output_;
  Mlp mlp_;
  std::unique_ptr<SequenceMixer<T>> mixer_;
};

}  // namespace ssm
