#include "ssm/config/flat_fields.h"

#include <algorithm>
#include <utility>

#include "ssm/config/json_value.h"

namespace ssm {
namespace {

class Flattener final : public FieldVisitor {
 public:
  FlatConfig config;

  void Bool(const char* name, bool& value, Doc doc) override {
    Leaf(name, JsonValue::Bool(value), doc);
  }
  void Int(const char* name, int64_t& value, IntRange, Doc doc) override {
    Leaf(name, JsonValue::Int(value), doc);
  }
  void Real(const char* name, double& value, RealRange, Doc doc) override {
    Leaf(name, JsonValue::Real(value), doc);
  }
  void Text(const char* name, std::string& value, Doc doc) override {
    Leaf(name, JsonValue::Text(value), doc);
  }
  void OptionalText(const char* name, std::optional<std::string>& value, Doc doc) override {
    Leaf(name, value ? JsonValue::Text(*value) : JsonValue::Null(), doc);
  }
  void IntList(const char* name, std::vector<int64_t>& value, IntRange, Doc doc) override {
    List(name, value, JsonValue::Int, doc);
  }
  void RealList(const char* name, std::vector<double>& value, RealRange, Doc doc) override {
    List(name, value, JsonValue::Real, doc);
  }
  void TextList(const char* name, std::vector<std::string>& value, Doc doc) override {
    List(name, value, JsonValue::Text, doc);
  }
  void Object(const char* name, Configurable& value, Doc doc) override { Below(name, value, doc); }
  void OptionalObject(const char* name, bool& present, Configurable& value, Doc doc) override {
    if (!present) return Leaf(name, JsonValue::Text("none"), doc);
    Below(name, value, doc);
  }
  void ObjectOrInt(const char* name, Configurable& value, std::span<int64_t* const>,
                   Doc doc) override {
    Below(name, value, doc);
  }
  void Tagged(const char* name, TaggedField& value, Doc doc) override {
    if (value.object() == nullptr) return;
    Leaf(std::string(name) + "/type", JsonValue::Text(value.type()), doc);
    Below(name, *value.object(), doc);
  }
  void Stack(const char* prototype_name, const char* count_name, StackField& value, IntRange,
             Doc doc) override {
    config.stacks.push_back({prefix_ + count_name, prefix_ + prototype_name, value.size()});
    Leaf(count_name, JsonValue::Int(value.size()), doc);
    for (int64_t i = 0; i < value.size(); ++i) {
      Below(std::string(count_name) + "/" + std::to_string(i), value.at(i), doc);
    }
  }
  void Map(const char* name, MapField& value, Doc doc) override {
    for (const std::string& key : value.names()) {
      Leaf(name + PointerTo("", key), JsonValue::Object(), doc);  // an empty entry counts, too
      Below(name + PointerTo("", key), value.at(key), doc);
    }
  }

 protected:
  void Word(const char* name, int64_t& index, std::span<const char* const> words,
            Doc doc) override {
    Leaf(name, JsonValue::Text(words[static_cast<size_t>(index)]), doc);
  }

 private:
  void Leaf(const std::string& name, const JsonValue& value, const Doc& doc) {
    config.fields.push_back({prefix_ + name, JsonLine(value), std::max(role_, doc.role)});
  }
  template <class Items, class Write>
  void List(const char* name, const Items& items, Write write, const Doc& doc) {
    JsonValue list = JsonValue::Array();
    for (const auto& item : items) list.items.push_back(write(item));
    Leaf(name, list, doc);
  }
  void Below(const std::string& name, Configurable& value, const Doc& doc) {
    const std::string prefix = std::exchange(prefix_, prefix_ + name + "/");
    const FieldRole role = std::exchange(role_, std::max(role_, doc.role));
    value.VisitFields(*this);
    prefix_ = prefix;
    role_ = role;
  }

  std::string prefix_ = "/";
  FieldRole role_ = FieldRole::kIdentity;
};

}  // namespace

FlatConfig FlattenFields(Configurable& config) {
  Flattener flattener;
  config.VisitFields(flattener);
  return std::move(flattener.config);
}

}  // namespace ssm
