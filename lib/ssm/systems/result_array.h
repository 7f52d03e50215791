// Arrays whose size a caller asks for.
#pragma once

#include <string>

#include "ssm/tensor/array.h"

namespace ssm {

/// Zeros of shape [steps, rows, cols]. `what` begins the sentences: "The impulse response".
/// @throws Error(kBadConfig) for steps < 0, Error(kRefused) where it exceeds the free memory.
Array<double> ResultArray(const std::string& what, int64_t steps, int64_t rows, int64_t cols);

}  // namespace ssm
