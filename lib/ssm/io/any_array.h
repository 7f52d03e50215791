// An array whose element type is known only when a file has been read.
#pragma once

#include <variant>

#include "ssm/tensor/array.h"

namespace ssm {

using AnyArray = std::variant<Array<float>, Array<double>, IntArray>;

const Shape& ShapeOf(const AnyArray& array);
/// As double or float; integers beyond 2^53 (2^24) round to nearest.
Array<double> ToDouble(const AnyArray& array);
Array<float> ToFloat(const AnyArray& array);

}  // namespace ssm
