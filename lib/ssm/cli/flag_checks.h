// What a flag's value may be. Each check gives "" or what is wrong with the text, as the end of
// "error: --flag: ...".
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace ssm {

using FlagCheck = std::function<std::string(const std::string&)>;

/// A whole number from `low` to `high`.
FlagCheck WholeNumberIn(int64_t low, int64_t high = std::numeric_limits<int64_t>::max());
FlagCheck WordOf(const std::vector<std::string>& words);
/// A path that a shell variable left empty is a slip, not a wish for the default.
std::string NotEmpty(const std::string& path);
std::string MinutesAboveZero(const std::string& text);
std::string NumberAboveZero(const std::string& text);
std::string ShareBelowOne(const std::string& text);
/// "auto", or a whole number of 1 or more.
std::string AutoOrWholeNumber(const std::string& text);
/// As ParseBytes reads it.
std::string ByteCount(const std::string& text);

}  // namespace ssm
