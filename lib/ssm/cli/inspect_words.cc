#include "ssm/cli/inspect_words.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/base/text.h"

namespace ssm {

std::string MeasureText(double value) {
  if (value == 0) return "0";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return std::isnan(value) ? "-" : FormatDigits(value, 4);
}

std::string RadiusText(double radius) {
  const std::string text = FormatDigits(radius, 6);
  if (radius == 1 || text != FormatDigits(1.0, 6)) return text;
  return fmt::format("1 {} {}", radius < 1 ? '-' : '+', FormatDigits(std::fabs(1 - radius), 3));
}

std::string PercentText(double share) {
  if (!std::isfinite(share)) return "-";
  return share > 0 && share < 5e-6 ? "< 0.001 %" : fmt::format("{:.3g} %", 100 * share);
}

}  // namespace ssm
