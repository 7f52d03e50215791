#include "ssm/io/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

constexpr char kBlanks = ' ';  // stands for runs of blanks and tabs
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

[[noreturn]] void Bad(const std::string& file, int64_t line, const std::string& sentence) {
  throw Error(ExitCode::kBadData, fmt::format("{}, line {}: {}.", file, line, sentence));
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// A separator outside quotes, the least ambiguous first: decimals and names hold commas.
char FindSeparator(std::string_view row) {
  for (const char separator : {';', ',', '\t'}) {
    bool quoted = false;
    for (const char c : row) {
      if (c == '"') quoted = !quoted;
      if (!quoted && c == separator) return separator;
    }
  }
  return kBlanks;
}

// Cells of one line. Quotes enclose a whole cell; two of them stand for one.
class RowSplitter {
 public:
  RowSplitter(char separator, const std::string& file) : separator_(separator), file_(file) {}

  void Split(std::string_view row, int64_t line, std::vector<std::string>& cells) const {
    cells.clear();
    size_t at = 0;
    while (true) {
      while (at < row.size() && IsBlank(row[at]) && row[at] != separator_) ++at;
      if (separator_ == kBlanks) {
        while (at < row.size() && IsBlank(row[at])) ++at;
        if (at == row.size()) return;
      }
      cells.push_back(at < row.size() && row[at] == '"' ? Quoted(row, at, line) : Plain(row, at));
      if (separator_ == kBlanks) {
        if (at < row.size() && !IsBlank(row[at])) Bad(file_, line, "text follows a closing quote");
        continue;
      }
      while (at < row.size() && IsBlank(row[at]) && row[at] != separator_) ++at;
      if (at == row.size()) return;
      if (row[at] != separator_) Bad(file_, line, "text follows a closing quote");
      ++at;
    }
  }

 private:
  std::string Plain(std::string_view row, size_t& at) const {
    const size_t start = at;
    while (at < row.size() && (separator_ == kBlanks ? !IsBlank(row[at]) : row[at] != separator_)) {
      ++at;
    }
    return std::string(Trim(row.substr(start, at - start)));
  }

  std::string Quoted(std::string_view row, size_t& at, int64_t line) const {
    std::string cell;
    for (++at; at < row.size(); ++at) {
      if (row[at] == '"') {
        if (at + 1 == row.size() || row[at + 1] != '"') {
          ++at;
          return cell;
        }
        ++at;
      }
      cell += row[at];
    }
    Bad(file_, line, "a quote is not closed on its line");
  }

  char separator_;
  const std::string& file_;
};

bool IsMissing(std::string_view cell) {
  if (cell.empty() || cell == "?") return true;
  for (const std::string_view word : {"nan", "na", "null"}) {
    const bool same = cell.size() == word.size() &&
                      std::equal(cell.begin(), cell.end(), word.begin(), [](char c, char w) {
                        return (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) == w;
                      });
    if (same) return true;
  }
  return false;
}

bool IsNumeric(const std::string& cell) { return IsMissing(cell) || ParseNumber(cell).has_value(); }

// "t,1,2" names columns, "1,2,x" is a row with a fault.
bool IsHeader(const std::vector<std::string>& cells) {
  return !ParseNumber(cells[0]) && !std::all_of(cells.begin(), cells.end(), IsNumeric);
}

class TableParser {
 public:
  TableParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Table Parse() {
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
    if (text_.starts_with("\xFE\xFF") || text_.starts_with("\xFF\xFE")) {
      Bad(file_, 1, "the text is UTF-16; save the file as UTF-8");
    }
    std::string_view row;
    if (!NextRow(row)) Bad(file_, std::max<int64_t>(line_, 1), "there is no row of numbers");
    const RowSplitter splitter(FindSeparator(row), file_);
    splitter.Split(row, line_, cells_);
    width_ = cells_.size();
    const bool header = IsHeader(cells_);
    columns_ = header ? cells_ : CommentHeader(splitter);
    NameColumns();
    if (!header) AddRow();
    while (NextRow(row)) {
      splitter.Split(row, line_, cells_);
      AddRow();
    }
    const int64_t width = static_cast<int64_t>(width_);
    Table table{std::move(columns_),
                Array<double>({static_cast<int64_t>(values_.size()) / width, width})};
    std::copy(values_.begin(), values_.end(), table.values.data());
    return table;
  }

 private:
  // The next line that is neither empty nor a comment.
  bool NextRow(std::string_view& row) {
    while (!text_.empty()) {
      ++line_;
      const size_t end = std::min(text_.find_first_of("\r\n"), text_.size());
      row = text_.substr(0, end);
      text_.remove_prefix(end);
      text_.remove_prefix(text_.starts_with("\r\n") ? 2 : std::min<size_t>(1, text_.size()));
      const std::string_view trimmed = Trim(row);
      if (trimmed.empty()) continue;
      if (trimmed[0] != '#' && trimmed[0] != '%') return true;
      comment_ = trimmed;
      comment_line_ = line_;
    }
    return false;
  }

  std::vector<std::string> CommentHeader(const RowSplitter& splitter) const {
    std::vector<std::string> words;
    const size_t first = std::min(comment_.find_first_not_of("#%"), comment_.size());
    // Prose may hold a lone quote; only what reads as a row can be a header.
    if (std::count(comment_.begin(), comment_.end(), '"') % 2 != 0) return {};
    splitter.Split(comment_.substr(first), comment_line_, words);
    const bool fits = words.size() == width_ && std::none_of(words.begin(), words.end(), IsNumeric);
    return fits ? words : std::vector<std::string>();
  }

  void NameColumns() {
    columns_.resize(width_);
    for (size_t c = 0; c < width_; ++c) {
      if (columns_[c].empty()) columns_[c] = "c" + std::to_string(c);
    }
    for (size_t c = 0; c < width_; ++c) {
      if (std::count(columns_.begin(), columns_.end(), columns_[c]) > 1) {
        Bad(file_, line_, fmt::format("two columns are named {}", Quote(columns_[c])));
      }
    }
  }

  void AddRow() {
    if (cells_.size() != width_) {
      Bad(file_, line_,
          fmt::format("{} cells where the rows before have {}", cells_.size(), width_));
    }
    for (size_t c = 0; c < width_; ++c) values_.push_back(Number(c));
  }

  double Number(size_t c) const {
    const std::string& cell = cells_[c];
    if (IsMissing(cell)) return std::numeric_limits<double>::quiet_NaN();
    const std::optional<double> value = ParseNumber(cell);
    if (!value) {
      Bad(file_, line_,
          fmt::format("column {} ({}) has {}, which is not a number", c + 1, Quote(columns_[c]),
                      Quote(cell)));
    }
    if (std::isinf(*value) && cell.find_first_of("0123456789") != std::string::npos) {
      Bad(file_, line_,
          fmt::format("column {} ({}) has {}, too large for a double", c + 1, Quote(columns_[c]),
                      Quote(cell)));
    }
    return *value;
  }

  std::string_view text_;
  const std::string& file_;
  int64_t line_ = 0;
  std::string_view comment_;
  int64_t comment_line_ = 0;
  size_t width_ = 0;
  std::vector<std::string> columns_, cells_;
  std::vector<double> values_;
};

std::string HeaderCell(const std::string& name) {
  SSM_CHECK(name.find_first_of("\r\n") == std::string::npos, "a column name of two lines");
  const bool plain = name.find_first_of(";,\t\"#% ") == std::string::npos;
  if (plain) return name;
  std::string cell = "\"";
  for (const char c : name) cell += c == '"' ? "\"\"" : std::string(1, c);
  return cell + "\"";
}

}  // namespace

std::optional<int64_t> Table::Column(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found != columns.end()) return found - columns.begin();
  const std::optional<int64_t> number = ParseInteger(name);
  const bool there = number && *number >= 0 && *number < static_cast<int64_t>(columns.size());
  return there ? number : std::nullopt;
}

Table ReadTable(const std::string& path) { return ParseTable(ReadDataFile(path), path); }

Table ParseTable(std::string_view text, const std::string& name) {
  return TableParser(text, name).Parse();
}

std::string TableText(const Table& table) {
  const int64_t width = static_cast<int64_t>(table.columns.size());
  SSM_CHECK(width > 0 && table.values.shape() == Shape({table.rows(), width}),
            "a table has one name for each column, and at least one");
  SSM_CHECK(IsHeader(table.columns), "column names that are numbers would read back as a row");
  std::string text;
  for (int64_t c = 0; c < width; ++c) {
    text += (c > 0 ? "," : "") + HeaderCell(table.columns[static_cast<size_t>(c)]);
  }
  for (int64_t i = 0; i < table.values.size(); ++i) {
    const double value = table.values[i];
    text += i % width == 0 ? '\n' : ',';
    if (!std::isnan(value)) text += FormatNumber(value);
    if (std::isnan(value) && width == 1) text += "nan";
  }
  return text + '\n';
}

void WriteTable(const std::string& path, const Table& table) {
  AtomicWriteFile(path, TableText(table));
}

}  // namespace ssm
