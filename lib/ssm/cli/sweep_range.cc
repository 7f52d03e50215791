#include "ssm/cli/sweep_range.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "ssm/base/text.h"

namespace ssm {
namespace {

constexpr int64_t kMostPoints = 1000;

}  // namespace

std::optional<SweepRange> ParseSweep(const std::string& text) {
  if (text == "dt") return SweepRange{};
  if (!text.starts_with("dt=")) return std::nullopt;
  const std::vector<std::string> parts = SplitText(text.substr(3), ':');
  if (parts.size() != 3) return std::nullopt;
  const std::optional<double> low = ParseNumber(parts[0]), high = ParseNumber(parts[1]);
  const std::optional<int64_t> count = ParseInteger(parts[2]);
  if (!low || !high || !count) return std::nullopt;
  if (!(0 < *low && *low < *high && std::isfinite(*high))) return std::nullopt;
  if (*count < 2 || *count > kMostPoints) return std::nullopt;
  return SweepRange{*low, *high, *count};
}

std::string CheckSweep(const std::string& text) {
  if (ParseSweep(text)) return "";
  return fmt::format(
      "found {}; allowed: dt, or dt=LOW:HIGH:COUNT with 0 < LOW < HIGH and a COUNT from 2 to {}, "
      "as in dt=0.01:1:9",
      Quote(text), kMostPoints);
}

}  // namespace ssm
