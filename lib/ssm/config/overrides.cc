#include "ssm/config/overrides.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/config/json_text.h"

namespace ssm {
namespace {

using Kind = JsonValue::Kind;

// What is wrong with the path of an override, or "".
std::string PathFault(std::string_view path, const std::vector<std::string>& steps) {
  if (path.empty()) return "found no key before \"=\"";
  if (path.starts_with('+') || path.starts_with('~')) {
    return fmt::format("found \"{}\" before the key; write KEY=VALUE, or KEY=null for the default",
                       path[0]);
  }
  if (path.find_first_of(" \t\r\n\"'{}[]") != std::string_view::npos) {
    return "found a blank, quote or bracket in the key; allowed: keys joined by dots, as in "
           "model.d_model=128";
  }
  for (const std::string& step : steps) {
    if (step.empty()) return "found an empty key; write each key once, joined by single dots";
  }
  return "";
}

// Places inside an override's value say nothing: the override is one place.
void Place(JsonValue& value, int source) {
  value.place = {source, 0, 0};
  value.bare = !value.Is(Kind::kString);  // a JSON string was typed with its quotes
  for (JsonValue& item : value.items) Place(item, source);
  for (JsonMember& member : value.members) {
    member.place = value.place;
    Place(member.value, source);
  }
}

// The value, or what is wrong with it in `fault`.
JsonValue ParseValue(const std::string& text, int source, std::string& fault) {
  JsonDocument document = ParseJsonText(text, source);
  JsonValue value = std::move(document.root);
  const bool json = !text.empty() && std::string_view("[{\"").find(text[0]) != std::string::npos;
  if (document.error && json) {
    fault = fmt::format("the value is not JSON at its byte {}: {}", document.error->place.column,
                        document.error->sentence);
  } else if (document.error) {
    value = JsonValue::Text(text);
  } else if (!document.duplicates.empty()) {
    fault = "the value has a key twice: " + document.duplicates.front().pointer;
  }
  Place(value, source);
  if (document.error) value.bare = true;
  return value;
}

std::optional<int64_t> Index(const std::string& step) {
  constexpr size_t kMostDigits = 9;
  if (step.size() > kMostDigits) return std::nullopt;
  if (step.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return ParseInteger(step);
}

JsonValue Wrap(const std::string& step, JsonValue value) {
  JsonValue outer;
  outer.place = value.place;
  if (const std::optional<int64_t> index = Index(step)) {
    outer.elements.push_back({*index, std::move(value)});
  } else {
    outer.kind = Kind::kObject;
    outer.Add(step, std::move(value));
  }
  return outer;
}

}  // namespace

std::vector<JsonValue> ParseOverrides(const std::vector<std::string>& overrides,
                                      FaultList& faults) {
  std::vector<JsonValue> patches;
  std::vector<std::string> lines;
  for (const std::string& text : overrides) {
    const int source = faults.AddSource("override " + OneLine(text, 80));
    const size_t equals = text.find('=');
    const std::string path = text.substr(0, equals);
    const std::vector<std::string> steps = SplitText(path, '.');
    std::string fault = equals == std::string::npos
                            ? "found no \"=\"; write KEY=VALUE, as in model.d_model=128"
                            : PathFault(path, steps);
    if (fault.empty()) {
      JsonValue value = ParseValue(text.substr(equals + 1), source, fault);
      for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        value = Wrap(*step, std::move(value));
      }
      patches.push_back(std::move(value));
    }
    if (!fault.empty()) lines.push_back(faults.SourceName(source) + ": " + fault);
  }
  if (!lines.empty()) throw Error(ExitCode::kUsage, Join(lines, "\n"));
  return patches;
}

}  // namespace ssm
