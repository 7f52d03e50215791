#include "ssm/config/read_value.h"

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "ssm/base/text.h"
#include "ssm/config/field_words.h"

namespace ssm {
namespace {

using Kind = JsonValue::Kind;

// Whether a text field takes it as it is.
bool IsText(const JsonValue& value) {
  return value.Is(Kind::kString) ||
         (value.bare && (value.Is(Kind::kNumber) || value.Is(Kind::kBool)));
}

// For a field of numbers that was given text.
std::string NumberHint(const JsonValue& value) {
  if (!value.Is(Kind::kString)) return "";
  const std::optional<double> number = ParseNumber(value.text);
  if (!number || !std::isfinite(*number)) return "";
  const std::string text = JsonValue::Real(*number).text;
  return "; write " + text + (value.bare ? "" : " without quotes");
}

std::string BoolHint(const JsonValue& value) {
  const std::string& text = value.text;
  const bool quotes = value.Is(Kind::kString) && !value.bare;
  for (const char* word : {"true", "True", "TRUE", "yes", "on", "1"}) {
    if (text == word) return quotes ? "; write true, without quotes" : "; write true";
  }
  for (const char* word : {"false", "False", "FALSE", "no", "off", "0"}) {
    if (text == word) return quotes ? "; write false, without quotes" : "; write false";
  }
  return "";
}

}  // namespace

std::string Mismatch(const JsonValue& value, const std::string& allowed) {
  if (value.Is(Kind::kMissing)) return "found an index; allowed: " + allowed;
  std::string sentence = "found " + JsonExcerpt(value) + "; allowed: " + allowed;
  if (value.Is(Kind::kNull)) {
    sentence +=
        "; null only takes away what a \"base\" has set: for the default, leave the key out";
  }
  return sentence;
}

std::string TakeBool(const JsonValue& value, bool& result) {
  if (!value.Is(Kind::kBool)) return Mismatch(value, "true or false") + BoolHint(value);
  result = value.text == "true";
  return "";
}

std::string TakeInt(const JsonValue& value, IntRange range, int64_t& result) {
  if (!value.Is(Kind::kNumber)) return Mismatch(value, IntWords(range)) + NumberHint(value);
  const std::optional<int64_t> number = WholeNumber(value.text);
  if (!number || !Contains(range, *number)) {
    const IntRange all;
    const bool negative = value.text.starts_with('-');
    const bool open = negative ? range.min == all.min : range.max == all.max;
    const bool too_large = !number && open && IsWhole(value.text);
    return Mismatch(value, IntWords(range) + (too_large ? " up to 9223372036854775807" : ""));
  }
  result = *number;
  return "";
}

std::string TakeReal(const JsonValue& value, const RealRange& range, double& result) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double number = 0;
  if (value.Is(Kind::kNumber)) {
    number = ParseNumber(value.text).value_or(kInfinity);
  } else if (value.Is(Kind::kString) && range.infinite && value.text == "inf") {
    number = kInfinity;
  } else if (value.Is(Kind::kString) && range.infinite && value.text == "-inf") {
    number = -kInfinity;
  } else {
    return Mismatch(value, RealWords(range)) + NumberHint(value);
  }
  if (!Contains(range, number)) return Mismatch(value, RealWords(range));
  result = number + 0.0;  // -0 is 0, also in a hash
  return "";
}

std::string TakeText(const JsonValue& value, std::string& result, const std::string& allowed) {
  if (IsText(value)) {
    result = value.text;
    return "";
  }
  const bool scalar = value.Is(Kind::kNumber) || value.Is(Kind::kBool);
  return Mismatch(value, allowed) + (scalar ? "; write " + Quote(value.text) : "");
}

std::string TakeWord(const JsonValue& value, std::span<const char* const> words, int64_t& result) {
  if (IsText(value)) {
    for (size_t i = 0; i < words.size(); ++i) {
      if (value.text != words[i]) continue;
      result = static_cast<int64_t>(i);
      return "";
    }
  }
  const std::vector<std::string> names(words.begin(), words.end());
  std::string sentence = Mismatch(value, QuotedList(words));
  return value.Is(Kind::kString) ? sentence + DidYouMean(value.text, names) : sentence;
}

}  // namespace ssm
