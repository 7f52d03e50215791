// A block-recurrent layer token by token.
#pragma once

#include <memory>
#include <vector>

#include "ssm/kernels/block_recurrence.h"
#include "ssm/kernels/relative_attention.h"
#include "ssm/mixers/sequence_mixer.h"
#include "ssm/nn/linear_layer.h"

namespace ssm {

/// What a stepper needs to know of its mixer: pointers go into the values of `params`.
template <Scalar T>
struct BlockRecurrentView {
  ParamView<T> params;
  kernels::BlockRecurrenceShape shape;  // rows: the batch
  kernels::BlockRecurrenceArrays<const T*> states;
  kernels::KeyReach reach;
  std::vector<int64_t> buckets;
  LinearLayer qkv, cross, self, read;
  const T *scale = nullptr, *cross_scale = nullptr, *bias = nullptr;
  int64_t bias_columns = 0;
};

/// Steps the slots tokens and states. Keys and values of the states are kept from token to token
/// beside the very states they were made from, and made anew when a row's states are others: they
/// are no state of the stepper's own.
template <Scalar T>
std::unique_ptr<Stepper<T>> MakeBlockRecurrentStepper(const BlockRecurrentView<T>& view);

}  // namespace ssm
