#include "ssm/config/field_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ssm/base/text.h"

namespace ssm {
namespace {

constexpr IntRange kAnyInt;

// " from 1 to 64", " >= 1", "".
std::string IntBounds(IntRange range) {
  const bool low = range.min != kAnyInt.min;
  const bool high = range.max != kAnyInt.max;
  if (low && high && range.min == range.max) return fmt::format(" equal to {}", range.min);
  if (low && high) return fmt::format(" from {} to {}", range.min, range.max);
  if (low) return fmt::format(" >= {}", range.min);
  if (high) return fmt::format(" <= {}", range.max);
  return "";
}

std::string Number(double value) { return JsonValue::Real(value).text; }

std::string RealBounds(const RealRange& range) {
  const bool low = std::isfinite(range.min);
  const bool high = std::isfinite(range.max);
  const std::string min = Number(range.min), max = Number(range.max);
  std::string words;
  if (low && high && !range.open_min && !range.open_max) {
    words = fmt::format(" from {} to {}", min, max);
  } else if (low && high) {
    words = fmt::format(" in {}{}, {}{}", range.open_min ? '(' : '[', min, max,
                        range.open_max ? ')' : ']');
  } else if (low) {
    words = fmt::format(" {} {}", range.open_min ? ">" : ">=", min);
  } else if (high) {
    words = fmt::format(" {} {}", range.open_max ? "<" : "<=", max);
  }
  if (!range.infinite) return words;
  if (!high) words += " or \"inf\"";
  if (!low) words += " or \"-inf\"";
  return words;
}

// A decimal number as digits * 10^exponent, without zeros at either end of the digits.
struct Decimal {
  bool negative = false;
  std::string digits;
  int64_t exponent = 0;
};

Decimal ToDecimal(std::string_view text) {
  Decimal result;
  if (text.starts_with('-')) {
    result.negative = true;
    text.remove_prefix(1);
  }
  const size_t e = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, e);
  // Exponents beyond this belong to zeros or to numbers that no field takes.
  constexpr int64_t kHuge = 1'000'000'000;
  if (e != std::string_view::npos) {
    const bool down = text.substr(e + 1).starts_with('-');
    result.exponent = ParseInteger(text.substr(e + 1)).value_or(down ? -kHuge : kHuge);
    result.exponent = std::clamp(result.exponent, -kHuge, kHuge);
  }
  const size_t point = mantissa.find('.');
  result.digits = mantissa.substr(0, point);
  if (point != std::string_view::npos) {
    result.digits += mantissa.substr(point + 1);
    result.exponent -= static_cast<int64_t>(mantissa.size() - point - 1);
  }
  result.digits.erase(0, std::min(result.digits.find_first_not_of('0'), result.digits.size()));
  while (result.digits.ends_with('0')) {
    result.digits.pop_back();
    ++result.exponent;
  }
  return result;
}

template <class Names>
std::string QuoteAll(const Names& names) {
  std::string result;
  for (const auto& name : names) result += (result.empty() ? "" : ", ") + Quote(name);
  return result;
}

}  // namespace

std::string IntWords(IntRange range) { return "an integer" + IntBounds(range); }
std::string IntsWords(IntRange range) { return "integers" + IntBounds(range); }
std::string RealWords(RealRange range) { return "a number" + RealBounds(range); }
std::string RealsWords(RealRange range) { return "numbers" + RealBounds(range); }

std::string QuotedList(std::span<const std::string> names) { return QuoteAll(names); }
std::string QuotedList(std::span<const char* const> names) { return QuoteAll(names); }

std::string StackWords(const char* count_name) {
  return fmt::format("what each of \"{}\" is where its patch does not differ", count_name);
}

std::vector<std::string> TypeNames(const TaggedField& field) {
  std::vector<std::string> names;
  for (size_t i = 0; i < field.types(); ++i) names.push_back(field.type_name(i));
  return names;
}

std::optional<int64_t> WholeNumber(std::string_view text) {
  const Decimal decimal = ToDecimal(text);
  if (decimal.digits.empty()) return 0;
  constexpr size_t kMostDigits = 19;
  if (decimal.exponent < 0 ||
      decimal.digits.size() + static_cast<size_t>(decimal.exponent) > kMostDigits) {
    return std::nullopt;
  }
  return ParseInteger((decimal.negative ? "-" : "") + decimal.digits +
                      std::string(static_cast<size_t>(decimal.exponent), '0'));
}

bool IsWhole(std::string_view text) {
  const Decimal decimal = ToDecimal(text);
  return decimal.digits.empty() || decimal.exponent >= 0;
}

bool Contains(IntRange range, int64_t value) { return value >= range.min && value <= range.max; }

bool Contains(const RealRange& range, double value) {
  if (std::isnan(value) || (std::isinf(value) && !range.infinite)) return false;
  const bool above = range.open_min ? value > range.min : value >= range.min;
  const bool below = range.open_max ? value < range.max : value <= range.max;
  return above && below;
}

}  // namespace ssm
