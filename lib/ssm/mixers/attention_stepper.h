// Attention token by token.
#pragma once

#include <memory>

#include "ssm/mixers/sequence_mixer.h"
#include "ssm/nn/linear_layer.h"

namespace ssm {

/// What a stepper needs to know of its mixer.
struct AttentionForm {
  int64_t heads = 1, d_head = 1;
  int64_t window = 0;      // 0: all tokens
  double rotary_base = 0;  // 0: not turned
  bool alibi = false;
  bool has_relative_bias = false;
  Param relative_bias;
  LinearLayer qkv, output;
};

/// Steps `batch` rows of slots k and v. Growing slots must have room for the token: State::Reserve.
template <Scalar T>
std::unique_ptr<Stepper<T>> MakeAttentionStepper(const AttentionForm& form, int64_t batch,
                                                 ParamView<T> params);

}  // namespace ssm
