#include "ssm/cli/flag_checks.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "ssm/base/text.h"

namespace ssm {

FlagCheck WholeNumberIn(int64_t low, int64_t high) {
  return [=](const std::string& text) -> std::string {
    const std::optional<int64_t> number = ParseInteger(text);
    if (number && low <= *number && *number <= high) return "";
    const bool bounded = high < std::numeric_limits<int64_t>::max();
    return fmt::format(
        "found {}; allowed: a whole number {}", Quote(text),
        bounded ? fmt::format("from {} to {}", low, high) : fmt::format("from {}", low));
  };
}

FlagCheck WordOf(const std::vector<std::string>& words) {
  return [=](const std::string& text) -> std::string {
    for (const std::string& word : words) {
      if (text == word) return "";
    }
    return fmt::format("found {}; allowed: {}{}", Quote(text), Join(words, ", "),
                       DidYouMean(text, words));
  };
}

std::string NotEmpty(const std::string& path) {
  return path.empty() ? "the path is empty; leave the flag out for the default" : "";
}

std::string MinutesAboveZero(const std::string& text) {
  const std::optional<double> minutes = ParseNumber(text);
  if (minutes && *minutes > 0 && std::isfinite(*minutes)) return "";
  return fmt::format("found {}; allowed: minutes above 0; leave the flag out for no limit",
                     Quote(text));
}

std::string NumberAboveZero(const std::string& text) {
  const std::optional<double> number = ParseNumber(text);
  if (number && *number > 0 && std::isfinite(*number)) return "";
  return fmt::format("found {}; allowed: a number above 0", Quote(text));
}

std::string ShareBelowOne(const std::string& text) {
  const std::optional<double> number = ParseNumber(text);
  if (number && *number >= 0 && *number < 1) return "";
  return fmt::format("found {}; allowed: a number of at least 0 and below 1", Quote(text));
}

std::string AutoOrWholeNumber(const std::string& text) {
  const std::optional<int64_t> number = ParseInteger(text);
  if (text == "auto" || (number && *number >= 1)) return "";
  return fmt::format("found {}; allowed: auto, or a whole number of 1 or more", Quote(text));
}

std::string ByteCount(const std::string& text) {
  if (ParseBytes(text)) return "";
  return fmt::format(
      "found {}; allowed: bytes as a whole number above 0, or a number with KiB, "
      "MiB or GiB, as in 4GiB",
      Quote(text));
}

}  // namespace ssm
