// y = x W^T + b.
#pragma once

#include "ssm/autograd/ops/linear.h"
#include "ssm/nn/parameters.h"

namespace ssm {

/// What weight and bias are before training: both U(+-1/sqrt(in)), or the weight 1 on its diagonal
/// and 0 elsewhere (the first min(in, out) channels pass as they are) and the bias 0.
enum class LinearStart { kDrawn, kIdentity };

/// Weight [out, in] and bias [out]. Weight decay applies to the weight alone.
class LinearLayer {
 public:
  LinearLayer() = default;
  LinearLayer(ParameterBuilder parameters, int64_t in, int64_t out, bool bias = true,
              LinearStart start = LinearStart::kDrawn);
  /// Shares `weight` [out, in] with another layer; no bias.
  explicit LinearLayer(const Param& weight) : weight_(weight) {}

  int64_t in() const { return weight_.shape[1]; }
  int64_t out() const { return weight_.shape[0]; }

  /// From here on a row's output has the same bits among any number of rows, in both faces.
  void KeepRowBits() { by_ = LinearRows::kByRow; }

  /// x [..., in] -> [..., out].
  template <Scalar T>
  Var<T> Apply(Tape<T>& tape, Var<T> x) const;
  /// The same on `rows` rows, for steppers; allocates nothing.
  template <Scalar T>
  void ApplyRows(const ParamView<T>& params, int64_t rows, const T* x, T* y) const;

 private:
  Param weight_, bias_;
  bool has_bias_ = false;
  LinearRows by_ = LinearRows::kTiles;
};

}  // namespace ssm
