// From the model's channels to a task's outputs.
#pragma once

#include "ssm/nn/linear_layer.h"
#include "ssm/nn/norm_layer.h"

namespace ssm {

/// y [..., O] = readout(final_norm x). Parameters final_norm.*, readout.weight, readout.bias; the
/// last two start as `ends` says.
class Readout {
 public:
  Readout() = default;
  Readout(ParameterBuilder parameters, NormKind norm, int64_t d_model, int64_t outputs,
          LinearStart ends);

  template <Scalar T>
  Var<T> Apply(Tape<T>& tape, Var<T> x) const;
  /// Of `rows` rows, normalising x in place; for steppers, allocates nothing.
  template <Scalar T>
  void ApplyRows(const ParamView<T>& params, int64_t rows, T* x, T* y) const;

 private:
  NormLayer norm_;
  LinearLayer linear_;
};

}  // namespace ssm
