// What a field allows, in words, and numbers as JSON writes them. Internal to this layer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ssm/config/fields.h"
#include "ssm/config/json_value.h"

namespace ssm {

/// "an integer from 1 to 64", "an integer >= 1".
std::string IntWords(IntRange range);
/// "a number > 0", "a number in [0, 1)", "a number >= 0 or \"inf\"".
std::string RealWords(RealRange range);
/// "integers >= 1": the plural of IntWords.
std::string IntsWords(IntRange range);
std::string RealsWords(RealRange range);
/// "\"zoh\", \"bilinear\"".
std::string QuotedList(std::span<const std::string> names);
std::string QuotedList(std::span<const char* const> names);
/// What a stack's block is: the field's own text speaks of its layers.
std::string StackWords(const char* count_name);
/// The names of a tagged field's types.
std::vector<std::string> TypeNames(const TaggedField& field);

/// A JSON number that is an integer, also when written 1e3 or 64.0. Nothing when it is not whole or
/// does not fit; exact over all of int64.
std::optional<int64_t> WholeNumber(std::string_view text);
/// Whether the number is whole, whatever its size.
bool IsWhole(std::string_view text);

bool Contains(IntRange range, int64_t value);
bool Contains(const RealRange& range, double value);

}  // namespace ssm
