// Inputs for cases: seeded numbers of a given size.
#pragma once

#include <string>

#include "ssm/tensor/array.h"

namespace ssm {

/// Normal numbers times `scale`; the same label and shape give the same numbers.
Array<double> NormalArray(const std::string& label, const Shape& shape, double scale = 1);
/// Uniform numbers in (low, high).
Array<double> UniformArray(const std::string& label, const Shape& shape, double low, double high);

/// Lengths every op over time is tried at.
inline constexpr int64_t kCaseLengths[] = {1, 2, 7, 33};

}  // namespace ssm
