// Single values out of JSON, strictly. Internal to this layer.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ssm/config/fields.h"
#include "ssm/config/json_value.h"

namespace ssm {

/// Each takes a value that is present, writes `result` and returns "", or leaves `result` and
/// returns the sentence of the fault.
std::string TakeBool(const JsonValue& value, bool& result);
std::string TakeInt(const JsonValue& value, IntRange range, int64_t& result);
std::string TakeReal(const JsonValue& value, const RealRange& range, double& result);
/// Bare numbers and words of an override are text, too.
std::string TakeText(const JsonValue& value, std::string& result,
                     const std::string& allowed = "a string");
std::string TakeWord(const JsonValue& value, std::span<const char* const> words, int64_t& result);

/// "found VALUE; allowed: ALLOWED", with a hint where the slip is a common one.
std::string Mismatch(const JsonValue& value, const std::string& allowed);

}  // namespace ssm
