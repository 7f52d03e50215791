// RWKV-4's layers token by token.
#pragma once

#include <memory>

#include "ssm/mixers/sequence_mixer.h"
#include "ssm/mixers/shifted_linear.h"

namespace ssm {

/// Where a time mixing's parameters lie.
struct Rwkv4Parameters {
  Param time_decay, time_first, output;
  ShiftedLinear key, value, receptance;
};

/// Steps `batch` rows of slots x, mean and log_weight.
template <Scalar T>
std::unique_ptr<Stepper<T>> MakeRwkv4Stepper(const Rwkv4Parameters& parameters, int64_t batch,
                                             ParamView<T> params);

/// The same of a channel mixing.
struct Rwkv4ChannelParameters {
  ShiftedLinear key, receptance;
  Param value;
};

/// Steps `batch` rows of slot x.
template <Scalar T>
std::unique_ptr<Stepper<T>> MakeRwkv4ChannelStepper(const Rwkv4ChannelParameters& parameters,
                                                    int64_t batch, ParamView<T> params);

}  // namespace ssm
