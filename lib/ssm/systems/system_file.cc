#include "ssm/systems/system_file.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/config/fault_list.h"
#include "ssm/config/json_text.h"

namespace ssm {
namespace {

using Kind = JsonValue::Kind;

constexpr const char* kAllowedMatrix = "allowed: a list of rows, each a list of as many numbers";

/// Reads the members of one document; what is wrong goes into the list of faults.
class SystemReader {
 public:
  SystemReader(std::string_view text, const std::string& name) {
    JsonDocument document = ParseJsonText(text, faults_.AddSource(name));
    for (const DuplicateKey& key : document.duplicates) {
      faults_.Add(
          key.place, key.pointer,
          fmt::format("found the key a second time, with {}; allowed: once (the first is at "
                      "line {})",
                      key.value, key.first.line));
    }
    if (document.error) {
      faults_.Add(document.error->place, "", "not JSON: " + document.error->sentence);
      faults_.Throw();
    }
    root_ = std::move(document.root);
    if (root_.Is(Kind::kObject)) return;
    faults_.Add(root_.place, "", "found " + JsonExcerpt(root_) + "; allowed: one object");
    faults_.Throw();
  }

  SystemFile Read() {
    RefuseUnknownKeys();
    SystemFile file;
    file.name = ReadText("name");
    file.about = ReadText("about");
    ContinuousSystem system;
    system.A = ReadMatrix("A");
    system.B = ReadMatrix("B");
    system.C = ReadMatrix("C");
    system.D =
        root_.Find("D") != nullptr ? ReadMatrix("D") : Matrix(system.outputs(), system.inputs());
    file.state_names = ReadNames("state_names", system.states(), "states");
    file.input_names = ReadNames("input_names", system.inputs(), "inputs");
    file.output_names = ReadNames("output_names", system.outputs(), "outputs");
    const JsonValue* dt = root_.Find("dt");
    if (dt != nullptr) file.dt = ReadStep(*dt);
    if (matrices_are_sound_) {
      for (const std::string& fault : FaultsOf(system)) faults_.Add(root_.place, "", fault);
    }
    faults_.Throw();
    if (dt == nullptr) {
      file.system = std::move(system);
    } else {
      file.system = DiscreteSystem{std::move(system.A), std::move(system.B), std::move(system.C),
                                   std::move(system.D)};
    }
    return file;
  }

 private:
  static std::string At(std::string_view key) { return PointerTo("", key); }

  void RefuseUnknownKeys() {
    const std::vector<std::string> known = {
        "name", "about", "dt", "A", "B", "C", "D", "state_names", "input_names", "output_names"};
    for (const JsonMember& member : root_.members) {
      bool found = member.key == "$schema";
      for (const std::string& key : known) found = found || member.key == key;
      if (found) continue;
      faults_.Add(member.place, At(member.key),
                  fmt::format("found the unknown key {}; allowed: {}{}", Quote(member.key),
                              Join(known, ", "), DidYouMean(member.key, known)));
    }
  }

  std::string ReadText(const char* key) {
    const JsonValue* value = root_.Find(key);
    if (value == nullptr) return "";
    if (value->Is(Kind::kString)) return value->text;
    faults_.Add(value->place, At(key), "found " + JsonExcerpt(*value) + "; allowed: a string");
    return "";
  }

  double ReadStep(const JsonValue& value) {
    const double dt = value.Is(Kind::kNumber) ? ParseNumber(value.text).value_or(0) : 0;
    if (dt > 0 && std::isfinite(dt)) return dt;
    faults_.Add(
        value.place, At("dt"),
        "found " + JsonExcerpt(value) +
            "; allowed: a number above 0, the step of a discrete system, or no such key for "
            "a continuous one");
    return 0;
  }

  /// As many names as there are, each another.
  std::vector<std::string> ReadNames(const char* key, int64_t count, const char* of) {
    const JsonValue* value = root_.Find(key);
    std::vector<std::string> names;
    if (value == nullptr) return names;
    bool good = value->Is(Kind::kArray);
    for (const JsonValue& item : value->items) {
      good = good && item.Is(Kind::kString);
      names.push_back(item.text);
    }
    if (!good) {
      faults_.Add(value->place, At(key),
                  "found " + JsonExcerpt(*value) + "; allowed: a list of strings");
    } else if (static_cast<int64_t>(names.size()) != count && matrices_are_sound_) {
      faults_.Add(value->place, At(key),
                  fmt::format("found {} names for {} {}; allowed: one for each, or no such key",
                              names.size(), count, of));
    }
    return names;
  }

  Matrix ReadMatrix(const char* key) {
    const JsonValue* value = root_.Find(key);
    if (value == nullptr || !value->Is(Kind::kArray) || value->items.empty()) {
      matrices_are_sound_ = false;
      if (value == nullptr) {
        faults_.Add(root_.place, "", fmt::format("lacks the matrix {}; {}", key, kAllowedMatrix));
      } else {
        faults_.Add(value->place, At(key), "found " + JsonExcerpt(*value) + "; " + kAllowedMatrix);
      }
      return {};
    }
    Matrix matrix;
    matrix.rows = static_cast<int64_t>(value->items.size());
    matrix.cols = static_cast<int64_t>(value->items.front().items.size());
    for (size_t i = 0; i < value->items.size(); ++i) {
      const bool sound = ReadRow(value->items[i], PointerTo(At(key), std::to_string(i)), matrix);
      matrices_are_sound_ = matrices_are_sound_ && sound;
    }
    return matrix;
  }

  bool ReadRow(const JsonValue& row, const std::string& pointer, Matrix& matrix) {
    if (!row.Is(Kind::kArray) || row.items.empty()) {
      faults_.Add(row.place, pointer,
                  "found " + JsonExcerpt(row) + " for a row; allowed: a list of numbers");
      return false;
    }
    if (static_cast<int64_t>(row.items.size()) != matrix.cols) {
      faults_.Add(row.place, pointer,
                  fmt::format("found {} numbers in this row and {} in the first; allowed: as many",
                              row.items.size(), matrix.cols));
      return false;
    }
    bool good = true;
    for (size_t j = 0; j < row.items.size(); ++j) {
      const JsonValue& item = row.items[j];
      constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
      const double number = item.Is(Kind::kNumber) ? ParseNumber(item.text).value_or(kNone) : kNone;
      if (!std::isfinite(number)) {
        faults_.Add(item.place, PointerTo(pointer, std::to_string(j)),
                    "found " + JsonExcerpt(item) + "; allowed: a finite number");
        good = false;
      }
      matrix.values.push_back(number);
    }
    return good;
  }

  FaultList faults_;
  JsonValue root_;
  bool matrices_are_sound_ = true;  // by themselves
};

JsonValue MatrixJson(const Matrix& matrix) {
  JsonValue rows = JsonValue::Array();
  for (int64_t i = 0; i < matrix.rows; ++i) {
    JsonValue row = JsonValue::Array();
    for (int64_t j = 0; j < matrix.cols; ++j) row.items.push_back(JsonValue::Real(matrix(i, j)));
    rows.items.push_back(std::move(row));
  }
  return rows;
}

void AddNames(const char* key, const std::vector<std::string>& names, JsonValue& root) {
  if (names.empty()) return;
  JsonValue list = JsonValue::Array();
  for (const std::string& name : names) list.items.push_back(JsonValue::Text(name));
  root.Add(key, std::move(list));
}

}  // namespace

SystemFile ParseSystem(std::string_view text, const std::string& name) {
  return SystemReader(text, name).Read();
}

SystemFile ReadSystemFile(const std::string& path) {
  return ParseSystem(ReadFile(path, kLargestSystemFile, "a system of some 400 states"), path);
}

bool LooksLikeSystem(std::string_view text) {
  const JsonValue root = ParseJsonText(text, 0).root;
  const auto has = [&root](std::string_view key) { return root.Find(key) != nullptr; };
  return root.Is(Kind::kObject) && (has("A") || has("B")) && !has("model") && !has("task");
}

std::string SystemText(const SystemFile& file) {
  JsonValue root = JsonValue::Object();
  if (!file.name.empty()) root.Add("name", JsonValue::Text(file.name));
  if (!file.about.empty()) root.Add("about", JsonValue::Text(file.about));
  if (file.discrete()) root.Add("dt", JsonValue::Real(file.dt));
  std::visit(
      [&root](const auto& system) {
        root.Add("A", MatrixJson(system.A));
        root.Add("B", MatrixJson(system.B));
        root.Add("C", MatrixJson(system.C));
        root.Add("D", MatrixJson(system.D));
      },
      file.system);
  AddNames("state_names", file.state_names, root);
  AddNames("input_names", file.input_names, root);
  AddNames("output_names", file.output_names, root);
  std::string text = JsonPage(root);
  ParseSystem(text, "The system");  // or says why no file can hold it
  return text;
}

void WriteSystemFile(const std::string& path, const SystemFile& file) {
  AtomicWriteFile(path, SystemText(file));
}

}  // namespace ssm
