// Attention token by token.
#pragma once

#include <memory>

#include "ssm/mixers/attention_memory.h"
#include "ssm/nn/linear_layer.h"

namespace ssm {

/// What a stepper needs to know of its mixer.
template <Scalar T>
struct AttentionForm {
  AttentionHeads heads;
  bool alibi = false;
  bool has_relative_bias = false;
  Param relative_bias;
  LinearLayer qkv, output;
  std::shared_ptr<const AttentionMemory<T>> memory;
};

/// Steps `batch` rows of the memory's slots. Growing slots must have room for the token:
/// State::Reserve.
template <Scalar T>
std::unique_ptr<Stepper<T>> MakeAttentionStepper(const AttentionForm<T>& form, int64_t batch,
                                                 ParamView<T> params);

}  // namespace ssm
