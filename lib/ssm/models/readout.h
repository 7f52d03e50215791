// From the model's channels to a task's outputs.
#pragma once

#include "ssm/models/model_options.h"
#include "ssm/nn/linear_layer.h"
#include "ssm/nn/norm_layer.h"

namespace ssm {

/// y [..., O] = readout(final_norm x). Parameters final_norm.*, readout.weight, readout.bias as far
/// as the kind has them; the last two start as `ends` says.
class Readout {
 public:
  Readout() = default;
  /// `table` [O, d_model]: the weight of a tied readout; not read otherwise.
  Readout(ParameterBuilder parameters, const ModelOptions& options, int64_t outputs,
          const Param& table);

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
