#include "ssm/config/json_value.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "ssm/base/text.h"

namespace ssm {
namespace {

using Kind = JsonValue::Kind;

bool IsContainer(const JsonValue& value) {
  return value.Is(Kind::kArray) || value.Is(Kind::kObject);
}

// Stops soon after `out` has grown past `limit`, so an excerpt of a huge value is cheap.
void AppendLine(const JsonValue& value, size_t limit, std::string& out) {
  const bool object = value.Is(Kind::kObject);
  if (!IsContainer(value)) {
    switch (value.kind) {
      case Kind::kString:
        out += JsonQuoted(std::string_view(value.text).substr(0, limit));
        break;
      case Kind::kNull:
        out += "null";
        break;
      default:
        out += value.text;
    }
    return;
  }
  out += object ? '{' : '[';
  const size_t count = object ? value.members.size() : value.items.size();
  for (size_t i = 0; i < count && out.size() <= limit; ++i) {
    if (i > 0) out += ", ";
    if (object) out += JsonQuoted(value.members[i].key) + ": ";
    AppendLine(object ? value.members[i].value : value.items[i], limit, out);
  }
  out += object ? '}' : ']';
}

void AppendPage(const JsonValue& value, size_t indent, std::string& out) {
  const bool object = value.Is(Kind::kObject);
  const bool flat = object ? value.members.empty()
                           : std::none_of(value.items.begin(), value.items.end(), IsContainer);
  if (flat) {
    AppendLine(value, std::numeric_limits<size_t>::max(), out);
    return;
  }
  const std::string margin(indent + 2, ' ');
  out += object ? "{\n" : "[\n";
  const size_t count = object ? value.members.size() : value.items.size();
  for (size_t i = 0; i < count; ++i) {
    out += margin;
    if (object) out += JsonQuoted(value.members[i].key) + ": ";
    AppendPage(object ? value.members[i].value : value.items[i], indent + 2, out);
    out += i + 1 < count ? ",\n" : "\n";
  }
  out += std::string(indent, ' ') + (object ? '}' : ']');
}

// "1e-08" as "1e-8".
std::string TidyExponent(std::string number) {
  const size_t e = number.find('e');
  if (e == std::string::npos) return number;
  size_t digits = e + 1;
  if (number[digits] == '+') number.erase(digits, 1);
  if (number[digits] == '-') ++digits;
  while (number[digits] == '0' && digits + 1 < number.size()) number.erase(digits, 1);
  return number;
}

}  // namespace

const JsonValue* JsonValue::Find(std::string_view key) const {
  for (const JsonMember& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

JsonMember* JsonValue::FindMember(std::string_view key) {
  for (JsonMember& member : members) {
    if (member.key == key) return &member;
  }
  return nullptr;
}

void JsonValue::Add(std::string key, JsonValue value) {
  members.push_back({std::move(key), place, std::move(value)});
}

JsonValue JsonValue::Null() {
  JsonValue result;
  result.kind = Kind::kNull;
  return result;
}

JsonValue JsonValue::Bool(bool value) {
  JsonValue result;
  result.kind = Kind::kBool;
  result.text = value ? "true" : "false";
  return result;
}

JsonValue JsonValue::Int(int64_t value) {
  JsonValue result;
  result.kind = Kind::kNumber;
  result.text = FormatNumber(value);
  return result;
}

JsonValue JsonValue::Real(double value) {
  if (!std::isfinite(value)) return Text(FormatNumber(value));
  JsonValue result;
  result.kind = Kind::kNumber;
  result.text = TidyExponent(FormatNumber(value));
  return result;
}

JsonValue JsonValue::Text(std::string value) {
  JsonValue result;
  result.kind = Kind::kString;
  result.text = std::move(value);
  return result;
}

JsonValue JsonValue::Array() {
  JsonValue result;
  result.kind = Kind::kArray;
  return result;
}

JsonValue JsonValue::Object() {
  JsonValue result;
  result.kind = Kind::kObject;
  return result;
}

bool SameJson(const JsonValue& a, const JsonValue& b) {
  return a.kind == b.kind && a.text == b.text &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), SameJson) &&
         std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(),
                    [](const JsonMember& x, const JsonMember& y) {
                      return x.key == y.key && SameJson(x.value, y.value);
                    });
}

std::string JsonQuoted(std::string_view text) {
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  return nlohmann::json(std::string(text)).dump(-1, ' ', false, kReplace);
}

std::string JsonLine(const JsonValue& value) {
  std::string out;
  AppendLine(value, std::numeric_limits<size_t>::max(), out);
  return out;
}

std::string JsonPage(const JsonValue& value) {
  std::string out;
  AppendPage(value, 0, out);
  return out + "\n";
}

std::string JsonExcerpt(const JsonValue& value) {
  constexpr size_t kLongest = 60;
  std::string out;
  if (value.Is(Kind::kString)) {
    out = Quote(value.text);
    // A bare word is shown as it was typed, where that is plain to see.
    if (value.bare && !value.text.empty() && out == "\"" + value.text + "\"") return value.text;
    return out;
  }
  AppendLine(value, kLongest, out);
  if (out.size() <= kLongest) return out;
  size_t length = kLongest;
  while (length > 0 && (out[length] & 0xC0) == 0x80) --length;
  return out.substr(0, length) + "...";
}

std::string PointerTo(const std::string& pointer, std::string_view key) {
  std::string result = pointer + "/";
  for (const char c : key) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

std::string DottedPath(const std::string& pointer) {
  std::string dotted = pointer.substr(std::min<size_t>(pointer.size(), 1));
  std::replace(dotted.begin(), dotted.end(), '/', '.');
  return dotted;
}

}  // namespace ssm
