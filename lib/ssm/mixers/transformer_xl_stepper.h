// Transformer-XL's attention token by token.
#pragma once

#include <memory>

#include "ssm/kernels/relative_attention.h"
#include "ssm/mixers/sequence_mixer.h"
#include "ssm/nn/linear_layer.h"

namespace ssm {

/// What a stepper needs to know of its mixer, on a tape that has its parameters.
template <Scalar T>
struct TransformerXlForm {
  int64_t heads = 1;
  kernels::KeyReach reach;
  double scale = 1;
  Var<T> qkv;  // [3 D, D]
  Var<T> r;    // [distances, D], W_R R
  Var<T> u, v;
  LinearLayer output;
};

/// Steps `batch` rows of the slot `inputs`. Keys are not kept: q . W_k x_j is taken as
/// (W_k^T q) . x_j, and the values' sum after the projection's, at 4 n H D FLOPs a token.
template <Scalar T>
std::unique_ptr<Stepper<T>> MakeTransformerXlStepper(const Tape<T>& tape, int64_t batch,
                                                     const TransformerXlForm<T>& form);

}  // namespace ssm
