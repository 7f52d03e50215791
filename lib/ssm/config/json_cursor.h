// Where in a text its tokens stand, told while another parser reads it. Internal to this layer.
#pragma once

#include <cstddef>
#include <string_view>

#include "ssm/config/json_value.h"

namespace ssm {

/// Follows the tokens of well-formed JSON in the order a parser reports them: the parser checks and
/// decodes, the cursor says where each began and how it was written. O(size) over a whole text.
class JsonCursor {
 public:
  JsonCursor(std::string_view text, int source);

  /// Moves over the next token, separators and comments before it left out. Returns its text.
  std::string_view Next();
  /// Where the last token began and ended.
  const JsonPlace& place() const { return place_; }
  size_t start() const { return start_; }
  size_t end() const { return at_; }
  /// Where a token that begins at `start` ends.
  size_t TokenEnd(size_t start) const;

  /// Between the last token and byte `end`, comments and blanks left out: where the next token
  /// begins, at most `end`, and the last separator passed (',' or ':', or 0). Does not move.
  struct Gap {
    size_t start = 0;
    char separator = 0;
  };
  Gap Before(size_t end) const;
  JsonPlace PlaceOf(size_t offset) const;

 private:
  size_t SkipBlank(size_t at, size_t end) const;

  std::string_view text_;
  size_t start_ = 0;
  size_t at_ = 0;
  JsonPlace place_;
  size_t line_start_ = 0;  // of the line place_ is in
};

}  // namespace ssm
