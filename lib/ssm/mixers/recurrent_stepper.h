// Recurrent cells token by token.
#pragma once

#include <memory>

#include "ssm/kernels/recurrent_scan.h"
#include "ssm/mixers/sequence_mixer.h"
#include "ssm/nn/linear_layer.h"

namespace ssm {

/// Where a recurrent mixer's parameters lie. `output` may be null: y = h.
struct RecurrentParameters {
  kernels::RecurrentCell cell = kernels::RecurrentCell::kRnn;
  const LinearLayer* output = nullptr;
  Param weight_ih, weight_hh, bias_ih, bias_hh;
};

/// Steps `batch` rows of slots h and, for lstm, c [H].
template <Scalar T>
std::unique_ptr<Stepper<T>> MakeRecurrentStepper(const RecurrentParameters& parameters,
                                                 int64_t batch, ParamView<T> params);

}  // namespace ssm
