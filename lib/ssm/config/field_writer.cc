#include "ssm/config/field_writer.h"

#include <algorithm>
#include <utility>

namespace ssm {
namespace {

using Kind = JsonValue::Kind;

class FieldWriter final : public FieldVisitor {
 public:
  explicit FieldWriter(JsonValue& object) : object_(object) {}

  void Bool(const char* name, bool& value, Doc) override {
    object_.Add(name, JsonValue::Bool(value));
  }
  void Int(const char* name, int64_t& value, IntRange, Doc) override {
    object_.Add(name, JsonValue::Int(value));
  }
  void Real(const char* name, double& value, RealRange, Doc) override {
    object_.Add(name, JsonValue::Real(value));
  }
  void Text(const char* name, std::string& value, Doc) override {
    object_.Add(name, JsonValue::Text(value));
  }
  void OptionalText(const char* name, std::optional<std::string>& value, Doc) override {
    object_.Add(name, value ? JsonValue::Text(*value) : JsonValue::Null());
  }
  void IntList(const char* name, std::vector<int64_t>& value, IntRange, Doc) override {
    AddList(name, value, JsonValue::Int);
  }
  void RealList(const char* name, std::vector<double>& value, RealRange, Doc) override {
    AddList(name, value, JsonValue::Real);
  }
  void TextList(const char* name, std::vector<std::string>& value, Doc) override {
    AddList(name, value, JsonValue::Text);
  }
  void Object(const char* name, Configurable& value, Doc) override {
    object_.Add(name, FieldsToJson(value));
  }
  void OptionalObject(const char* name, bool& present, Configurable& value, Doc) override {
    object_.Add(name, present ? FieldsToJson(value) : JsonValue::Text("none"));
  }
  void ObjectOrInt(const char* name, Configurable& value, std::span<int64_t* const>, Doc) override {
    object_.Add(name, FieldsToJson(value));
  }
  void Tagged(const char* name, TaggedField& value, Doc) override {
    if (value.object() == nullptr) return;
    JsonValue tagged = JsonValue::Object();
    tagged.Add("type", JsonValue::Text(value.type()));
    FieldWriter below(tagged);
    value.object()->VisitFields(below);
    object_.Add(name, std::move(tagged));
  }
  void Stack(const char* prototype_name, const char* count_name, StackField& value, IntRange count,
             Doc) override {
    object_.Add(prototype_name, FieldsToJson(value.prototype()));
    object_.Add(count_name, LayersToJson(value, count));
  }
  void Map(const char* name, MapField& value, Doc) override {
    JsonValue map = JsonValue::Object();
    for (const std::string& key : value.names()) map.Add(key, FieldsToJson(value.at(key)));
    object_.Add(name, std::move(map));
  }

 protected:
  void Word(const char* name, int64_t& index, std::span<const char* const> words, Doc) override {
    object_.Add(name, JsonValue::Text(words[static_cast<size_t>(index)]));
  }

 private:
  template <class Items, class Write>
  void AddList(const char* name, const Items& items, Write write) {
    JsonValue list = JsonValue::Array();
    for (const auto& item : items) list.items.push_back(write(item));
    object_.Add(name, std::move(list));
  }

  JsonValue& object_;
};

bool ChangesType(const JsonValue& before, const JsonValue& after) {
  const JsonValue* old_type = before.Find("type");
  const JsonValue* new_type = after.Find("type");
  return new_type != nullptr && (old_type == nullptr || !SameJson(*old_type, *new_type));
}

}  // namespace

JsonValue FieldsToJson(Configurable& object) {
  JsonValue result = JsonValue::Object();
  FieldWriter writer(result);
  object.VisitFields(writer);
  return result;
}

JsonValue DifferenceAsPatch(const JsonValue& before, const JsonValue& after) {
  JsonValue patch = JsonValue::Object();
  for (const JsonMember& member : after.members) {
    const JsonValue* old = before.Find(member.key);
    if (old != nullptr && SameJson(*old, member.value)) continue;
    const bool both_objects =
        old != nullptr && old->Is(Kind::kObject) && member.value.Is(Kind::kObject);
    patch.Add(member.key, both_objects ? DifferenceAsPatch(*old, member.value) : member.value);
  }
  // Keys that only the old type had go with it; names of a map must be taken out.
  if (ChangesType(before, after)) return patch;
  for (const JsonMember& member : before.members) {
    if (after.Find(member.key) == nullptr) patch.Add(member.key, JsonValue::Null());
  }
  return patch;
}

JsonValue LayersToJson(StackField& stack, IntRange count) {
  const int64_t layers = std::clamp(stack.size(), count.min, count.max);
  const JsonValue block = FieldsToJson(stack.prototype());
  JsonValue patches = JsonValue::Array();
  bool equal = true;
  for (int64_t i = 0; i < stack.size(); ++i) {
    patches.items.push_back(DifferenceAsPatch(block, FieldsToJson(stack.at(i))));
    equal = equal && patches.items.back().members.empty();
  }
  return equal ? JsonValue::Int(layers) : patches;
}

}  // namespace ssm
