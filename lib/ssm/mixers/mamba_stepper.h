// Mamba, one token at a time.
#pragma once

#include "ssm/mixers/mamba.h"

namespace ssm {

/// A snapshot of the parameters; convolution, steps and scan are the kernels of the parallel face.
template <Scalar T>
std::unique_ptr<Stepper<T>> MakeMambaStepper(const MambaForm<T>& form, int64_t batch,
                                             ParamView<T> params, T dt_scale);

}  // namespace ssm
