// Two linear layers with an activation between them, plain or gated.
#pragma once

#include "ssm/kernels/pointwise.h"
#include "ssm/nn/linear_layer.h"

namespace ssm {

/// y = W_out f(W_in x), or gated: y = W_out (f(W_gate x) * (W_in x)), each W with a bias.
/// Parameters gate, in, out.
class Mlp {
 public:
  Mlp() = default;
  Mlp(ParameterBuilder parameters, int64_t channels, int64_t hidden, bool gated,
      kernels::Activation activation);

  /// x [..., D] -> [..., D].
  template <Scalar T>
  Var<T> Apply(Tape<T>& tape, Var<T> x) const;
  /// Numbers of scratch ApplyRows needs.
  int64_t ScratchSize(int64_t rows) const { return 2 * rows * in_.out(); }
  /// The same on `rows` rows, for steppers; allocates nothing.
  template <Scalar T>
  void ApplyRows(const ParamView<T>& params, int64_t rows, const T* x, T* y, T* scratch) const;

 private:
  bool gated_ = false;
  kernels::Activation activation_ = kernels::Activation::kNone;
  LinearLayer gate_, in_, out_;
};

}  // namespace ssm
