// What is wrong with text that is not JSON, in words. Internal to this layer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "ssm/config/json_cursor.h"
#include "ssm/config/json_text.h"

namespace ssm {

/// What a parser was in the middle of when it stopped.
struct JsonSyntaxContext {
  enum class Inside { kNothing, kObject, kArray };
  Inside inside = Inside::kNothing;
  JsonPlace opened;         // of the "{" or "["
  bool has_key = false;     // a key was read and its value was not
  bool has_value = false;   // a value of this object or array, or the root, was read
  std::string key;          // the last one
  bool overflow = false;    // it stopped at a number beyond double,
  bool bad_string = false;  // or inside a string,
  bool bad_utf8 = false;    // at bytes that are no character
};

/// `stopped`: the offset of the byte the parser could not take; text.size() at the end.
JsonSyntaxError DescribeSyntaxError(std::string_view text, const JsonCursor& cursor, size_t stopped,
                                    const JsonSyntaxContext& context);

/// What is wrong with the bytes as such, before any parsing; no sentence when nothing is.
JsonSyntaxError FindForeignBytes(std::string_view text, const JsonCursor& cursor);

}  // namespace ssm
