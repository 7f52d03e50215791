// Strict JSON text with places: what nlohmann::json parses, less what a config must not let
// through. For this layer, and for sources of others that read JSON files of their own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ssm/config/json_value.h"

namespace ssm {

constexpr int kJsonDepth = 32;

/// A key written twice in one object.
struct DuplicateKey {
  JsonPlace place;      // of the second
  JsonPlace first;      //
  std::string pointer;  // of the member
  std::string value;    // the second value, as an excerpt
};

struct JsonSyntaxError {
  JsonPlace place;
  std::string sentence;  // "found \"}\" after a comma; ..."
};

struct JsonDocument {
  JsonValue root;                        // kMissing after a syntax error
  std::vector<DuplicateKey> duplicates;  // the first value of each key stands
  std::optional<JsonSyntaxError> error;
};

/// Parses one JSON value in UTF-8, "//" and "/* */" comments and a leading byte order mark allowed.
/// Refused as syntax: nesting deeper than kJsonDepth, NUL bytes, NaN, infinities, numbers beyond
/// double, invalid UTF-8. `source` is noted in every place. Never throws on any bytes.
JsonDocument ParseJsonText(std::string_view text, int source);

}  // namespace ssm
