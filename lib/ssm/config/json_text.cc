#include "ssm/config/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>

#include "ssm/config/json_cursor.h"
#include "ssm/config/json_syntax.h"

namespace ssm {
namespace {

using Kind = JsonValue::Kind;

// An object or list whose end has not come yet.
struct Frame {
  JsonValue value;
  std::string key;  // of the member that is being read
  JsonPlace key_place;
  bool has_key = false;
  bool duplicate = false;
  std::unordered_map<std::string, JsonPlace> keys;
};

// Builds a document from the parser's events; the cursor follows to say where each token stood.
class DocumentBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  DocumentBuilder(std::string_view text, int source) : text_(text), cursor_(text, source) {}

  JsonDocument Build() {
    JsonDocument result;
    if (JsonSyntaxError foreign = FindForeignBytes(text_, cursor_); !foreign.sentence.empty()) {
      result.error = std::move(foreign);
      return result;
    }
    nlohmann::json::sax_parse(text_.begin(), text_.end(), this,
                              nlohmann::json::input_format_t::json, true, true);
    if (document_.error) document_.root = {};
    return std::move(document_);
  }

  bool null() override { return Scalar(Kind::kNull); }
  bool boolean(bool) override { return Scalar(Kind::kBool); }
  bool number_integer(number_integer_t) override { return Scalar(Kind::kNumber); }
  bool number_unsigned(number_unsigned_t) override { return Scalar(Kind::kNumber); }
  bool number_float(number_float_t, const string_t&) override { return Scalar(Kind::kNumber); }
  bool string(string_t& text) override {
    JsonValue value = Start(Kind::kString);
    value.text = std::move(text);
    Finish(std::move(value));
    return true;
  }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return Open(Kind::kObject); }
  bool start_array(std::size_t) override { return Open(Kind::kArray); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(string_t& name) override {
    Frame& top = frames_.back();
    cursor_.Next();
    top.key = std::move(name);
    top.key_place = cursor_.place();
    top.has_key = true;
    top.duplicate = !top.keys.emplace(top.key, top.key_place).second;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    constexpr int kNumberOverflow = 406;
    JsonSyntaxContext context;
    context.overflow = error.id == kNumberOverflow;
    const std::string_view reason = error.what();
    context.bad_string = reason.find("invalid string") != std::string::npos;
    context.bad_utf8 = reason.find("UTF-8") != std::string::npos;
    context.has_value = has_root_;
    if (!frames_.empty()) {
      const Frame& top = frames_.back();
      const bool object = top.value.Is(Kind::kObject);
      using Inside = JsonSyntaxContext::Inside;
      context.inside = object ? Inside::kObject : Inside::kArray;
      context.opened = top.value.place;
      context.has_key = top.has_key;
      context.has_value = !top.value.members.empty() || !top.value.items.empty();
      context.key = top.key;
    }
    // Positions count bytes read, the one that could not be taken included.
    document_.error = DescribeSyntaxError(text_, cursor_, position > 0 ? position - 1 : 0, context);
    return false;
  }

 private:
  JsonValue Start(Kind kind) {
    JsonValue value;
    value.kind = kind;
    const std::string_view token = cursor_.Next();
    if (kind == Kind::kNumber || kind == Kind::kBool) value.text = token;
    value.place = cursor_.place();
    return value;
  }

  bool Scalar(Kind kind) {
    Finish(Start(kind));
    return true;
  }

  bool Open(Kind kind) {
    frames_.emplace_back();
    frames_.back().value = Start(kind);
    if (frames_.size() <= kJsonDepth) return true;
    document_.error = {
        cursor_.place(),
        fmt::format("found lists and objects nested deeper than {} levels; none is needed deeper",
                    kJsonDepth)};
    return false;
  }

  bool Close() {
    cursor_.Next();
    JsonValue value = std::move(frames_.back().value);
    frames_.pop_back();
    Finish(std::move(value));
    return true;
  }

  // Puts a whole value where it belongs.
  void Finish(JsonValue value) {
    if (frames_.empty()) {
      document_.root = std::move(value);
      has_root_ = true;
      return;
    }
    Frame& top = frames_.back();
    if (top.value.Is(Kind::kArray)) {
      top.value.items.push_back(std::move(value));
      return;
    }
    top.has_key = false;
    if (top.duplicate) {
      document_.duplicates.push_back(
          {top.key_place, top.keys.at(top.key), Pointer(), JsonExcerpt(value)});
    } else {
      top.value.members.push_back({top.key, top.key_place, std::move(value)});
    }
  }

  // Of the member that is being read.
  std::string Pointer() const {
    std::string pointer;
    for (const Frame& frame : frames_) {
      const bool object = frame.value.Is(Kind::kObject);
      pointer = PointerTo(pointer, object ? frame.key : std::to_string(frame.value.items.size()));
    }
    return pointer;
  }

  std::string_view text_;
  JsonCursor cursor_;
  std::vector<Frame> frames_;
  bool has_root_ = false;
  JsonDocument document_;
};

}  // namespace

JsonDocument ParseJsonText(std::string_view text, int source) {
  return DocumentBuilder(text, source).Build();
}

}  // namespace ssm
