// Linear attention token by token.
#pragma once

#include <memory>

#include "ssm/mixers/linear_attention.h"

namespace ssm {

/// Steps `batch` rows of slots S and m as the form has them.
template <Scalar T>
std::unique_ptr<Stepper<T>> MakeLinearAttentionStepper(const LinearAttentionForm& form,
                                                       int64_t batch, ParamView<T> params);

}  // namespace ssm
