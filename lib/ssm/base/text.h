// Text for people and files: numbers free of the locale, tables, near names, sizes, durations.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ssm {

/// Edits that turn `a` into `b`: insert, delete, replace or swap two neighbours, each 1 (optimal
/// string alignment; bytes, case-sensitive). O(|a| |b|).
int64_t EditDistance(std::string_view a, std::string_view b);

/// The one of `names` that `name` was probably meant to be: the nearest within a third of its
/// length (at least one edit), letter case aside; the first one on a tie; empty when none is near.
std::string NearestName(std::string_view name, std::span<const std::string> names);
/// "; did you mean \"lr\"?" with the nearest name, or "" when none is near.
std::string DidYouMean(std::string_view name, std::span<const std::string> names);

/// The shortest text that reads back to the same bits: "0.1", "1e-05", "nan", "inf", "-inf".
std::string FormatNumber(double value);
std::string FormatNumber(float value);
std::string FormatNumber(int64_t value);
/// `digits` significant digits, trailing zeros kept: (0.2, 4) is "0.2000", (1234.5, 3) is "1230",
/// (1.5e-7, 3) is "1.50e-07". Positional from 1e-4 up to 1e9. 1 <= digits <= 17.
std::string FormatDigits(double value, int digits);
/// "12,345,678".
std::string FormatCount(int64_t value);
/// "1 step", "1,024 steps".
std::string FormatCount(int64_t value, std::string_view noun);

/// The whole of `text` as a number; nothing where it is not exactly one. No leading space; a
/// leading '+' is fine; "nan" and "inf" in any case are numbers. Out of range gives 0 or +-inf.
std::optional<double> ParseNumber(std::string_view text);
/// The whole of `text` as a decimal integer; nothing where it is not one or does not fit.
std::optional<int64_t> ParseInteger(std::string_view text);

/// "512 B", "1.50 KiB", "24.0 GiB".
std::string FormatBytes(int64_t bytes);
/// "1048576", "512 KiB", "512KiB", "64MiB", "1.5 GiB": what a person writes for a count of bytes,
/// at least 1. Nothing where it is none or does not fit.
std::optional<int64_t> ParseBytes(std::string_view text);
/// "850 ms", "4.2 s", "3 min 20 s", "2 h 05 min", "3 d 4 h".
std::string FormatDuration(double seconds);

enum class Align { kLeft, kRight };

struct TableColumn {
  std::string header;
  Align align = Align::kLeft;
};

struct TableStyle {
  bool bold_header = false;  // ANSI bold: for terminals that want colour
  std::string indent;        // before every line
};

/// Rows of cells under a header, columns two spaces apart, every line ended by a newline and
/// without trailing spaces. Width counts UTF-8 code points. A short row leaves cells empty.
std::string FormatTable(std::span<const TableColumn> columns,
                        std::span<const std::vector<std::string>> rows,
                        const TableStyle& style = {});

/// The pieces of `text` between separators; n separators give n + 1 pieces.
std::vector<std::string> SplitText(std::string_view text, char separator);
/// `pieces` with `separator` between.
std::string Join(std::span<const std::string> pieces, std::string_view separator);
/// Without blanks, tabs, carriage returns and newlines at both ends.
std::string_view Trim(std::string_view text);

/// For messages: in double quotes, control bytes and quotes as escapes, cut after 60 bytes.
std::string Quote(std::string_view text);
/// The same for a path, which is of no use when cut.
std::string QuotePath(std::string_view path);
/// For commands a person copies into a POSIX shell: one word, in single quotes where it needs them.
std::string ShellQuote(std::string_view text);
/// The same for a path given as an argument: one that begins with '-' is no flag ("./-q2").
std::string PathArgument(std::string_view path);

}  // namespace ssm
