// The words of an inspection's numbers.
#pragma once

#include <string>

namespace ssm {

/// "0.2043", "inf", "-inf"; "-" for NaN: four digits.
std::string MeasureText(double value);
/// "12.3 %" of a share of 1; "-" for what is not finite.
std::string PercentText(double share);

}  // namespace ssm
