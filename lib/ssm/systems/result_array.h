// Arrays whose size a caller asks for.
#pragma once

#include <string>

#include "ssm/tensor/array.h"

namespace ssm {

/// Sees to it that [steps, rows, cols] doubles fit. `what` begins the sentences: "The output".
/// @throws Error(kBadConfig) for steps < 0, Error(kRefused) where they exceed the free memory.
void RequireRoom(const std::string& what, int64_t steps, int64_t rows, int64_t cols);

/// Zeros of that shape. @throws as RequireRoom.
Array<double> ResultArray(const std::string& what, int64_t steps, int64_t rows, int64_t cols);

}  // namespace ssm
