// A table of fields for people.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "ssm/base/text.h"
#include "ssm/config/config_file.h"
#include "ssm/config/field_words.h"
#include "ssm/config/field_writer.h"
#include "ssm/config/json_value.h"

namespace ssm {
namespace {

constexpr size_t kColumns = 4;
constexpr size_t kWidth = 100;  // of a line
constexpr size_t kGap = 2;
constexpr std::array<size_t, kColumns - 1> kWidest = {28, 12, 26};  // the help takes the rest

using Row = std::array<std::string, kColumns>;  // name, default, allowed, help

// "an integer >= 1" as a table says it.
std::string WithoutArticle(const std::string& words) {
  for (const char* article : {"an ", "a "}) {
    if (words.starts_with(article)) return words.substr(std::string_view(article).size());
  }
  return words;
}

class RowList final : public FieldVisitor {
 public:
  std::vector<Row> rows;

  void Bool(const char* name, bool& value, Doc doc) override {
    Add(name, JsonLine(JsonValue::Bool(value)), "true, false", doc.text);
  }
  void Int(const char* name, int64_t& value, IntRange range, Doc doc) override {
    Add(name, FormatNumber(value), WithoutArticle(IntWords(range)), doc.text);
  }
  void Real(const char* name, double& value, RealRange range, Doc doc) override {
    Add(name, JsonLine(JsonValue::Real(value)), WithoutArticle(RealWords(range)), doc.text);
  }
  void Text(const char* name, std::string& value, Doc doc) override {
    Add(name, JsonQuoted(value), "string", doc.text);
  }
  void OptionalText(const char* name, std::optional<std::string>& value, Doc doc) override {
    Add(name, value ? JsonQuoted(*value) : "null", "string or null", doc.text);
  }
  void IntList(const char* name, std::vector<int64_t>& value, IntRange each, Doc doc) override {
    AddList(name, value, JsonValue::Int, IntsWords(each), doc);
  }
  void RealList(const char* name, std::vector<double>& value, RealRange each, Doc doc) override {
    AddList(name, value, JsonValue::Real, RealsWords(each), doc);
  }
  void TextList(const char* name, std::vector<std::string>& value, Doc doc) override {
    AddList(name, value, JsonValue::Text, "strings", doc);
  }
  void Object(const char* name, Configurable& value, Doc doc) override {
    Add(name, "", "object", doc.text);
    Below(value);
  }
  void OptionalObject(const char* name, bool& present, Configurable& value, Doc doc) override {
    Add(name, present ? "" : "\"none\"", "object or \"none\"", doc.text);
    Below(value);
  }
  void ObjectOrInt(const char* name, Configurable& value, std::span<int64_t* const>,
                   Doc doc) override {
    Add(name, "", "object, or one integer for all", doc.text);
    Below(value);
  }
  void Tagged(const char* name, TaggedField& value, Doc doc) override {
    Add(name, "", "object with a \"type\"", doc.text);
    ++depth_;
    Add("type", value.type(), "", value.type().empty() ? "must be given; one of:" : "one of:");
    ++depth_;
    // Where a type must be given there are many, each with a description of its own.
    const bool each = value.object() != nullptr;
    for (size_t i = 0; i < value.types(); ++i) {
      Add(value.type_name(i), "", "", value.type_summary(i));
      if (each) Below(*value.Make(i));
    }
    depth_ -= 2;
  }
  void Stack(const char* prototype_name, const char* count_name, StackField& value, IntRange count,
             Doc doc) override {
    Add(prototype_name, "", "object", StackWords(count_name));
    Below(value.prototype());
    const JsonValue layers = LayersToJson(value, count);
    Add(count_name, JsonLine(layers), WithoutArticle(IntWords(count)) + ", or a list of patches",
        doc.text);
  }
  void Map(const char* name, MapField& value, Doc doc) override {
    Add(name, Join(value.names(), ", "), "objects by name", doc.text);
    ++depth_;
    Add("NAME", "", "object", "");
    Below(*value.Make());
    --depth_;
  }

 protected:
  void Word(const char* name, int64_t& index, std::span<const char* const> words,
            Doc doc) override {
    const std::vector<std::string> names(words.begin(), words.end());
    Add(name, names[static_cast<size_t>(index)], Join(names, ", "), doc.text);
  }

 private:
  void Add(const std::string& name, const std::string& value, const std::string& allowed,
           const std::string& help) {
    rows.push_back({std::string(2 * depth_, ' ') + name, value, allowed, help});
  }
  template <class Items, class Write>
  void AddList(const char* name, const Items& items, Write write, const std::string& each,
               const Doc& doc) {
    JsonValue list = JsonValue::Array();
    for (const auto& item : items) list.items.push_back(write(item));
    Add(name, JsonLine(list), "list of " + each, doc.text);
  }
  void Below(Configurable& value) {
    ++depth_;
    value.VisitFields(*this);
    --depth_;
  }

  size_t depth_ = 0;
};

size_t CodePoints(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Cuts before byte `at`, between code points.
size_t CodePointStart(std::string_view text, size_t at) {
  while (at > 0 && at < text.size() && (text[at] & 0xC0) == 0x80) --at;
  return at;
}

// Lines of at most `width` code points, broken at blanks where there are any.
std::vector<std::string> WrapText(std::string text, size_t width) {
  std::vector<std::string> lines;
  const size_t indent = std::min(text.find_first_not_of(' '), text.size());
  while (CodePoints(text) > width) {
    size_t at = text.rfind(' ', width);
    if (at == std::string::npos || at <= indent) at = CodePointStart(text, width);
    lines.push_back(text.substr(0, at));
    text.erase(0, text[at] == ' ' ? at + 1 : at);
    text.insert(0, std::string(indent, ' '));
  }
  lines.push_back(std::move(text));
  return lines;
}

std::array<size_t, kColumns> Widths(const std::vector<Row>& rows) {
  std::array<size_t, kColumns> widths{};
  size_t used = 0;
  for (size_t c = 0; c + 1 < kColumns; ++c) {
    for (const Row& row : rows) widths[c] = std::max(widths[c], CodePoints(row[c]));
    widths[c] = std::min(widths[c], kWidest[c]);
    used += widths[c] + kGap;
  }
  widths[kColumns - 1] = kWidth - used;
  return widths;
}

void AppendRow(const Row& row, const std::array<size_t, kColumns>& widths, std::string& table) {
  std::array<std::vector<std::string>, kColumns> cells;
  size_t height = 0;
  for (size_t c = 0; c < kColumns; ++c) {
    cells[c] = WrapText(row[c], widths[c]);
    height = std::max(height, cells[c].size());
  }
  for (size_t i = 0; i < height; ++i) {
    std::string line;
    for (size_t c = 0; c < kColumns; ++c) {
      const std::string cell = i < cells[c].size() ? cells[c][i] : "";
      line += cell + std::string(widths[c] + kGap - CodePoints(cell), ' ');
    }
    table += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
}

}  // namespace

std::string DescribeFields(Configurable& config) {
  RowList list;
  list.rows.push_back({"field", "default", "allowed", "meaning"});
  config.VisitFields(list);
  const std::array<size_t, kColumns> widths = Widths(list.rows);
  std::string table;
  for (const Row& row : list.rows) AppendRow(row, widths, table);
  return table;
}

}  // namespace ssm
