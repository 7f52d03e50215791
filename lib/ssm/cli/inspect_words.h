// The words of an inspection's numbers.
#pragma once

#include <string>

namespace ssm {

/// "0.2043", "inf", "-inf"; "-" for NaN: four digits.
std::string MeasureText(double value);
/// "0.9802" to six digits; "1 - 1.23e-08" and "1 + 1.23e-08" where those read 1 and it is not.
std::string RadiusText(double radius);
/// "12.3 %" of a share of 1; "-" for what is not finite.
std::string PercentText(double share);

}  // namespace ssm
