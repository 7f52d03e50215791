// Normalisation over channels, or none.
#pragma once

#include "ssm/nn/parameters.h"

namespace ssm {

enum class NormKind { kNone, kLayer, kRms };

/// Weight [D] ones, and for kLayer bias [D] zeros; no weight decay. kNone has no parameters and
/// gives x itself. Each of `groups` equal parts of the channels is normalised by itself.
class NormLayer {
 public:
  NormLayer() = default;
  NormLayer(ParameterBuilder parameters, NormKind kind, int64_t channels, int64_t groups = 1);

  template <Scalar T>
  Var<T> Apply(Tape<T>& tape, Var<T> x) const;
  /// The same on `rows` rows, for steppers; y == x is legal; allocates nothing.
  template <Scalar T>
  void ApplyRows(const ParamView<T>& params, int64_t rows, const T* x, T* y) const;

 private:
  NormKind kind_ = NormKind::kNone;
  int64_t channels_ = 0, groups_ = 1;
  Param weight_, bias_;
};

}  // namespace ssm
