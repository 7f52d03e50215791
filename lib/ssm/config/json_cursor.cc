#include "ssm/config/json_cursor.h"

#include <algorithm>

namespace ssm {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kDelimiters = " \t\r\n,:[]{}\"/";

}  // namespace

JsonCursor::JsonCursor(std::string_view text, int source) : text_(text) {
  place_ = {source, 1, 1};
  if (text_.starts_with(kByteOrderMark)) at_ = line_start_ = kByteOrderMark.size();
}

size_t JsonCursor::SkipBlank(size_t at, size_t end) const {
  while (at < end) {
    if (kBlank.find(text_[at]) != std::string_view::npos) {
      ++at;
    } else if (text_.substr(at).starts_with("//")) {
      at = std::min(end, text_.find('\n', at));
    } else if (text_.substr(at).starts_with("/*")) {
      const size_t close = text_.find("*/", at + 2);
      at = close == std::string_view::npos ? end : std::min(end, close + 2);
    } else {
      break;
    }
  }
  return at;
}

size_t JsonCursor::TokenEnd(size_t start) const {
  if (start >= text_.size()) return text_.size();
  if (text_[start] == '"') {
    size_t at = start + 1;
    while (at < text_.size() && text_[at] != '"') at += text_[at] == '\\' ? 2 : 1;
    return std::min(at + 1, text_.size());
  }
  if (kDelimiters.find(text_[start]) != std::string_view::npos) return start + 1;
  return std::min(text_.size(), text_.find_first_of(kDelimiters, start));
}

JsonCursor::Gap JsonCursor::Before(size_t end) const {
  Gap gap{.start = SkipBlank(at_, end), .separator = 0};
  while (gap.start < end && (text_[gap.start] == ',' || text_[gap.start] == ':')) {
    gap.separator = text_[gap.start];
    gap.start = SkipBlank(gap.start + 1, end);
  }
  return gap;
}

std::string_view JsonCursor::Next() {
  const size_t start = Before(text_.size()).start;
  for (size_t at = at_; at < start; ++at) {
    if (text_[at] != '\n') continue;
    ++place_.line;
    line_start_ = at + 1;
  }
  place_.column = static_cast<int>(start - line_start_) + 1;
  start_ = start;
  at_ = TokenEnd(start);
  return text_.substr(start, at_ - start);
}

JsonPlace JsonCursor::PlaceOf(size_t offset) const {
  const std::string_view before = text_.substr(0, offset);
  const size_t newline = before.rfind('\n');
  const size_t mark = text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const size_t start = newline == std::string_view::npos ? mark : newline + 1;
  const auto lines = std::count(before.begin(), before.end(), '\n');
  return {place_.source, static_cast<int>(lines) + 1,
          static_cast<int>(offset - std::min(offset, start)) + 1};
}

}  // namespace ssm
