// Delta-rule layers token by token.
#pragma once

#include <memory>

#include "ssm/mixers/delta_mixer.h"

namespace ssm {

/// Steps `batch` rows of the slots S and, with a convolution, conv.
template <Scalar T>
std::unique_ptr<Stepper<T>> MakeDeltaStepper(const DeltaParameters& parameters, int64_t batch,
                                             ParamView<T> params, T dt_scale);

}  // namespace ssm
