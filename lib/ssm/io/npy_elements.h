// The elements of .npy files: from bytes to arrays.
#pragma once

#include <string>
#include <string_view>

#include "ssm/io/any_array.h"

namespace ssm {

/// Of one element. @throws Error(kBadData), naming `file`, for types that are not read.
int64_t NpyElementBytes(const std::string& descr, const std::string& file);
/// Whether such elements become int64_t: integers and booleans.
bool NpyHoldsIntegers(const std::string& descr);
/// Row-major values from `bytes`, which hold `shape` in C or Fortran order.
/// @throws Error(kBadData) for integers beyond int64_t.
AnyArray DecodeNpyElements(const std::string& descr, const Shape& shape, bool fortran,
                           std::string_view bytes, const std::string& file);

}  // namespace ssm
