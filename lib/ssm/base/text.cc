#include "ssm/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string LowerCase(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), Lower);
  return result;
}

template <class Number>
std::string Shortest(Number value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, end.ptr);
}

// "nan", "inf": the library's spelling of a sign on NaN would make equal results differ.
std::string NonFinite(double value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

int64_t CodePoints(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

// Whether a decimal number, known to be outside the range of double, is so small rather than so
// large: the place of its first digit that is not 0 says it.
bool BelowOne(std::string_view text) {
  const std::string_view mantissa = text.substr(0, text.find_first_of("eE"));
  const bool scaled = mantissa.size() < text.size();
  const std::string_view scale = scaled ? text.substr(mantissa.size() + 1) : "0";
  const int64_t huge = scale.starts_with('-') ? -4'000'000'000 : 4'000'000'000;
  const size_t digit = mantissa.find_first_of("123456789");
  const size_t point = std::min(mantissa.find('.'), mantissa.size());
  const int64_t place = static_cast<int64_t>(point) - static_cast<int64_t>(digit);
  return place + ParseInteger(scale).value_or(huge) <= 0;
}

void AppendCell(std::string& line, std::string_view cell, int64_t width, Align align) {
  const size_t padding = static_cast<size_t>(std::max<int64_t>(0, width - CodePoints(cell)));
  if (align == Align::kRight) line.append(padding, ' ');
  line += cell;
  if (align == Align::kLeft) line.append(padding, ' ');
}

}  // namespace

int64_t EditDistance(std::string_view a, std::string_view b) {
  const size_t width = b.size() + 1;
  std::vector<int64_t> before(width), last(width), row(width);
  for (size_t j = 0; j < width; ++j) last[j] = static_cast<int64_t>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int64_t>(i);
    for (size_t j = 1; j < width; ++j) {
      const int64_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string NearestName(std::string_view name, std::span<const std::string> names) {
  constexpr size_t kLongest = 256;  // hostile input must not cost a quadratic search
  if (name.empty() || name.size() > kLongest) return "";
  const std::string wanted = LowerCase(name);
  int64_t best = std::max<int64_t>(1, static_cast<int64_t>(name.size()) / 3) + 1;
  std::string nearest;
  for (const std::string& candidate : names) {
    if (candidate.size() > kLongest) continue;
    const int64_t distance = EditDistance(wanted, LowerCase(candidate));
    // A name replaced letter by letter is another name.
    if (distance < best && distance < static_cast<int64_t>(candidate.size())) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string DidYouMean(std::string_view name, std::span<const std::string> names) {
  const std::string nearest = NearestName(name, names);
  return nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?";
}

std::string FormatNumber(double value) {
  return std::isfinite(value) ? Shortest(value) : NonFinite(value);
}
std::string FormatNumber(float value) {
  return std::isfinite(value) ? Shortest(value) : NonFinite(static_cast<double>(value));
}
std::string FormatNumber(int64_t value) { return Shortest(value); }

std::string FormatDigits(double value, int digits) {
  SSM_CHECK(digits >= 1 && digits <= 17, "FormatDigits writes 1 to 17 digits");
  if (!std::isfinite(value)) return NonFinite(value);
  if (value == 0) return fmt::format("{:.{}f}", 0.0, digits - 1);
  // The exponent after rounding decides: 9.9996 with four digits is 10.00.
  const std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
  const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  if (exponent < -4 || exponent >= 9) return scientific;
  if (exponent < digits) return fmt::format("{:.{}f}", value, digits - 1 - exponent);
  // Digits beyond those asked for are zeros, not noise.
  double rounded = 0;
  std::from_chars(scientific.data(), scientific.data() + scientific.size(), rounded);
  return fmt::format("{:.0f}", rounded);
}

std::string FormatCount(int64_t value) {
  std::string text = Shortest(value);
  const size_t first = value < 0 ? 1 : 0;
  for (size_t i = text.size(); i > first + 3;) text.insert(i -= 3, 1, ',');
  return text;
}

std::string FormatCount(int64_t value, std::string_view noun) {
  return fmt::format("{} {}{}", FormatCount(value), noun, value == 1 ? "" : "s");
}

std::optional<double> ParseNumber(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    const double magnitude = BelowOne(text) ? 0.0 : HUGE_VAL;
    return text.starts_with('-') ? -magnitude : magnitude;
  }
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::optional<int64_t> ParseInteger(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string FormatBytes(int64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  constexpr int64_t kCutOff = int64_t{1} << 62;  // where plans end sums that no integer holds
  if (bytes == kCutOff) return "more than 4 EiB";
  if (bytes > -1024 && bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (std::fabs(value) >= 999.5 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return FormatDigits(value, 3) + " " + kUnits[unit];
}

std::optional<int64_t> ParseBytes(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}}};
  double unit = 1;
  for (const auto& [name, bytes] : kUnits) {
    if (!text.ends_with(name)) continue;
    unit = bytes;
    text = Trim(text.substr(0, text.size() - name.size()));
  }
  const std::optional<double> number = ParseNumber(text);
  const bool whole = unit > 1 || ParseInteger(text).has_value();
  if (!number || !whole || !(*number * unit >= 1 && *number * unit < 0x1p63)) return std::nullopt;
  return static_cast<int64_t>(*number * unit);
}

std::string FormatDuration(double seconds) {
  if (!std::isfinite(seconds)) return NonFinite(seconds) + " s";
  if (seconds < 0) return "-" + FormatDuration(-seconds);
  if (seconds < 0.9995) return fmt::format("{:.{}f} ms", seconds * 1e3, seconds < 0.00995 ? 1 : 0);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  if (seconds < 59.5) return fmt::format("{:.0f} s", seconds);
  if (seconds > 1e15) return fmt::format("{:.2e} s", seconds);
  const int64_t whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  const int64_t minutes = std::llround(seconds / 60);
  if (minutes < 24 * 60) return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
  const int64_t hours = std::llround(seconds / 3600);
  return fmt::format("{} d {} h", hours / 24, hours % 24);
}

std::string FormatTable(std::span<const TableColumn> columns,
                        std::span<const std::vector<std::string>> rows, const TableStyle& style) {
  std::vector<int64_t> widths;
  for (const TableColumn& column : columns) widths.push_back(CodePoints(column.header));
  for (const auto& row : rows) {
    SSM_CHECK(row.size() <= columns.size(), "a table row has more cells than columns");
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], CodePoints(row[c]));
  }
  std::string table;
  const auto add_line = [&](const auto& cell_at, bool bold) {
    std::string line;
    for (size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) line += "  ";
      AppendCell(line, cell_at(c), widths[c], columns[c].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    table += (line.empty() ? "" : style.indent) + (bold ? "\x1b[1m" + line + "\x1b[0m" : line);
    table += '\n';
  };
  add_line([&](size_t c) -> std::string_view { return columns[c].header; }, style.bold_header);
  for (const auto& row : rows) {
    add_line(
        [&](size_t c) -> std::string_view {
          return c < row.size() ? std::string_view(row[c]) : std::string_view();
        },
        false);
  }
  return table;
}

std::vector<std::string> SplitText(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  while (true) {
    const size_t end = text.find(separator);
    pieces.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::string Join(std::span<const std::string> pieces, std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) text += separator;
    text += pieces[i];
  }
  return text;
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

namespace {

std::string QuoteUpTo(size_t longest, std::string_view text) {
  std::string quoted = "\"";
  size_t length = std::min(text.size(), longest);
  // Cut between code points.
  while (length < text.size() && length > 0 && (text[length] & 0xC0) == 0x80) --length;
  for (const char c : text.substr(0, length)) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      quoted += c;
    }
  }
  return quoted + (length < text.size() ? "...\"" : "\"");
}

}  // namespace

std::string Quote(std::string_view text) {
  constexpr size_t kLongest = 60;
  return QuoteUpTo(kLongest, text);
}

std::string QuotePath(std::string_view path) { return QuoteUpTo(std::string::npos, path); }

std::string ShellQuote(std::string_view text) {
  constexpr std::string_view kPlain = "+,-./:=@_%";
  const bool plain = std::all_of(text.begin(), text.end(), [&](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') ||
           kPlain.find(c) != std::string_view::npos;
  });
  if (plain && !text.empty()) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string PathArgument(std::string_view path) {
  return ShellQuote(path.starts_with('-') ? "./" + std::string(path) : std::string(path));
}

}  // namespace ssm
