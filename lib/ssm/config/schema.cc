// JSON Schema, draft 2020-12, of a config: https://json-schema.org/draft/2020-12/schema
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "ssm/config/config_file.h"
#include "ssm/config/field_words.h"
#include "ssm/config/field_writer.h"
#include "ssm/config/json_value.h"

namespace ssm {
namespace {

// A whole config, or a patch over one: there every key may be null and no type need be said.
enum class Mode { kWhole, kPatch };

JsonValue Typed(const char* type) {
  JsonValue schema = JsonValue::Object();
  schema.Add("type", JsonValue::Text(type));
  return schema;
}

JsonValue IntSchema(IntRange range) {
  const IntRange all;
  JsonValue schema = Typed("integer");
  if (range.min != all.min) schema.Add("minimum", JsonValue::Int(range.min));
  if (range.max != all.max) schema.Add("maximum", JsonValue::Int(range.max));
  return schema;
}

JsonValue RealSchema(const RealRange& range) {
  JsonValue schema = Typed("number");
  if (std::isfinite(range.min)) {
    schema.Add(range.open_min ? "exclusiveMinimum" : "minimum", JsonValue::Real(range.min));
  }
  if (std::isfinite(range.max)) {
    schema.Add(range.open_max ? "exclusiveMaximum" : "maximum", JsonValue::Real(range.max));
  }
  if (!range.infinite) return schema;
  JsonValue infinities = JsonValue::Object();
  JsonValue words = JsonValue::Array();
  if (std::isinf(range.max)) words.items.push_back(JsonValue::Text("inf"));
  if (std::isinf(range.min)) words.items.push_back(JsonValue::Text("-inf"));
  infinities.Add("enum", std::move(words));
  JsonValue either = JsonValue::Object();
  either.Add("anyOf", JsonValue::Array());
  either.members.back().value.items = {std::move(schema), std::move(infinities)};
  return either;
}

JsonValue AnyOf(const char* keyword, std::vector<JsonValue> schemas) {
  JsonValue list = JsonValue::Array();
  list.items = std::move(schemas);
  JsonValue schema = JsonValue::Object();
  schema.Add(keyword, std::move(list));
  return schema;
}

JsonValue ListOf(JsonValue items) {
  JsonValue schema = Typed("array");
  schema.Add("items", std::move(items));
  return schema;
}

JsonValue Constant(const std::string& text) {
  JsonValue schema = JsonValue::Object();
  schema.Add("const", JsonValue::Text(text));
  return schema;
}

JsonValue Reference(const std::string& definition) {
  JsonValue schema = JsonValue::Object();
  schema.Add("$ref", JsonValue::Text("#/$defs/" + definition));
  return schema;
}

// Collects the properties of one object; definitions are shared by the whole schema.
class SchemaBuilder final : public FieldVisitor {
 public:
  SchemaBuilder(Mode mode, std::string path, JsonValue& definitions)
      : mode_(mode), path_(std::move(path)), definitions_(definitions) {}

  void AddProperty(const std::string& name, JsonValue schema, const std::string& help) {
    if (mode_ == Mode::kPatch) schema = AnyOf("anyOf", {std::move(schema), Typed("null")});
    JsonValue described = JsonValue::Object();
    if (!help.empty()) described.Add("description", JsonValue::Text(help));
    for (JsonMember& member : schema.members) described.members.push_back(std::move(member));
    properties_.Add(name, std::move(described));
  }

  /// The object's schema; no further use of the builder.
  JsonValue Finish() {
    JsonValue schema = Typed("object");
    schema.Add("properties", std::move(properties_));
    if (mode_ == Mode::kWhole && !required_.items.empty()) schema.Add("required", required_);
    schema.Add("additionalProperties", JsonValue::Bool(false));
    return schema;
  }
  bool NeedsKeys() const { return !required_.items.empty(); }
  void Require(const std::string& name) { required_.items.push_back(JsonValue::Text(name)); }
  void ForgetRequired() { required_.items.clear(); }

  void Bool(const char* name, bool& value, Doc doc) override {
    Add(name, Typed("boolean"), JsonValue::Bool(value), doc);
  }
  void Int(const char* name, int64_t& value, IntRange range, Doc doc) override {
    Add(name, IntSchema(range), JsonValue::Int(value), doc);
  }
  void Real(const char* name, double& value, RealRange range, Doc doc) override {
    Add(name, RealSchema(range), JsonValue::Real(value), doc);
  }
  void Text(const char* name, std::string& value, Doc doc) override {
    Add(name, Typed("string"), JsonValue::Text(value), doc);
  }
  void OptionalText(const char* name, std::optional<std::string>& value, Doc doc) override {
    Add(name, AnyOf("anyOf", {Typed("string"), Typed("null")}),
        value ? JsonValue::Text(*value) : JsonValue::Null(), doc);
  }
  void IntList(const char* name, std::vector<int64_t>& value, IntRange each, Doc doc) override {
    AddList(name, IntSchema(each), value, JsonValue::Int, doc);
  }
  void RealList(const char* name, std::vector<double>& value, RealRange each, Doc doc) override {
    AddList(name, RealSchema(each), value, JsonValue::Real, doc);
  }
  void TextList(const char* name, std::vector<std::string>& value, Doc doc) override {
    AddList(name, Typed("string"), value, JsonValue::Text, doc);
  }
  void Object(const char* name, Configurable& value, Doc doc) override {
    SchemaBuilder below = Below(name, value);
    if (below.NeedsKeys()) Require(name);
    AddProperty(name, below.Finish(), doc.text);
  }
  void OptionalObject(const char* name, bool& present, Configurable& value, Doc doc) override {
    JsonValue schema = AnyOf("oneOf", {Constant("none"), Below(name, value).Finish()});
    if (!present) schema.Add("default", JsonValue::Text("none"));
    AddProperty(name, std::move(schema), doc.text);
  }
  void ObjectOrInt(const char* name, Configurable& value, std::span<int64_t* const>,
                   Doc doc) override {
    AddProperty(name, AnyOf("oneOf", {Typed("integer"), Below(name, value).Finish()}), doc.text);
  }
  void Tagged(const char* name, TaggedField& value, Doc doc) override;
  void Stack(const char* prototype_name, const char* count_name, StackField& value, IntRange count,
             Doc doc) override;
  void Map(const char* name, MapField& value, Doc doc) override {
    JsonValue schema = Typed("object");
    JsonValue entry = Below(name, *value.Make()).Finish();
    if (mode_ == Mode::kPatch) entry = AnyOf("anyOf", {std::move(entry), Typed("null")});
    schema.Add("additionalProperties", std::move(entry));
    AddProperty(name, std::move(schema), doc.text);
  }

 protected:
  void Word(const char* name, int64_t& index, std::span<const char* const> words,
            Doc doc) override {
    JsonValue list = JsonValue::Array();
    for (const char* word : words) list.items.push_back(JsonValue::Text(word));
    JsonValue schema = JsonValue::Object();
    schema.Add("enum", std::move(list));
    Add(name, std::move(schema), JsonValue::Text(words[static_cast<size_t>(index)]), doc);
  }

 private:
  void Add(const char* name, JsonValue schema, JsonValue value, const Doc& doc) {
    schema.Add("default", std::move(value));
    AddProperty(name, std::move(schema), doc.text);
  }
  template <class Items, class Write>
  void AddList(const char* name, JsonValue each, const Items& items, Write write, const Doc& doc) {
    JsonValue list = JsonValue::Array();
    for (const auto& item : items) list.items.push_back(write(item));
    Add(name, ListOf(std::move(each)), std::move(list), doc);
  }
  SchemaBuilder Below(const std::string& name, Configurable& value) {
    SchemaBuilder below(mode_, path_.empty() ? name : path_ + "." + name, definitions_);
    value.VisitFields(below);
    return below;
  }

  Mode mode_;
  std::string path_;  // of the object, dotted
  JsonValue& definitions_;
  JsonValue properties_ = JsonValue::Object();
  JsonValue required_ = JsonValue::Array();
};

void SchemaBuilder::Tagged(const char* name, TaggedField& value, Doc doc) {
  std::vector<JsonValue> types;
  for (size_t i = 0; i < value.types(); ++i) {
    SchemaBuilder below(mode_, path_ + "." + name, definitions_);
    below.properties_.Add("type", Constant(value.type_name(i)));
    // A type that stands by default goes without saying.
    if (value.type() != value.type_name(i)) below.Require("type");
    value.Make(i)->VisitFields(below);
    JsonValue schema = JsonValue::Object();
    schema.Add("title", JsonValue::Text(value.type_name(i)));
    schema.Add("description", JsonValue::Text(value.type_summary(i)));
    for (JsonMember& member : below.Finish().members) schema.members.push_back(std::move(member));
    types.push_back(std::move(schema));
  }
  if (value.object() == nullptr) Require(name);
  // Without a type a patch may fit several.
  AddProperty(name, AnyOf(mode_ == Mode::kWhole ? "oneOf" : "anyOf", std::move(types)), doc.text);
}

void SchemaBuilder::Stack(const char* prototype_name, const char* count_name, StackField& value,
                          IntRange count, Doc doc) {
  const std::string path = path_.empty() ? prototype_name : path_ + "." + prototype_name;
  const std::string definition = path + ".patch";
  if (definitions_.Find(definition) == nullptr) {
    definitions_.Add(definition, JsonValue::Object());
    SchemaBuilder patch(Mode::kPatch, path, definitions_);
    value.prototype().VisitFields(patch);
    definitions_.FindMember(definition)->value = patch.Finish();
  }
  if (mode_ == Mode::kPatch) {
    AddProperty(prototype_name, Reference(definition), StackWords(count_name));
  } else {
    SchemaBuilder block = Below(prototype_name, value.prototype());
    block.ForgetRequired();  // each layer may bring its own
    AddProperty(prototype_name, block.Finish(), StackWords(count_name));
  }
  JsonValue list = ListOf(Reference(definition));
  list.Add("minItems", JsonValue::Int(std::max<int64_t>(0, count.min)));
  list.Add("maxItems", JsonValue::Int(count.max));
  JsonValue layers = AnyOf("oneOf", {IntSchema(count), std::move(list)});
  layers.Add("default", LayersToJson(value, count));
  AddProperty(count_name, std::move(layers), doc.text);
}

JsonValue RootSchema(Configurable& config, Mode mode, JsonValue& definitions) {
  SchemaBuilder builder(mode, "", definitions);
  builder.AddProperty("$schema", Typed("string"), "where this schema is, for editors");
  if (mode == Mode::kPatch) {
    builder.AddProperty("base", Typed("string"),
                        "a config this one patches, relative to this file");
  }
  config.VisitFields(builder);
  return builder.Finish();
}

}  // namespace

std::string ConfigSchema(Configurable& config, const std::string& title) {
  JsonValue definitions = JsonValue::Object();
  JsonValue whole = RootSchema(config, Mode::kWhole, definitions);
  JsonValue patch = RootSchema(config, Mode::kPatch, definitions);
  definitions.Add("config", std::move(whole));
  definitions.Add("config.patch", std::move(patch));

  JsonValue has_base = JsonValue::Object();
  has_base.Add("required", JsonValue::Array());
  has_base.members.back().value.items = {JsonValue::Text("base")};

  JsonValue schema = JsonValue::Object();
  schema.Add("$schema", JsonValue::Text("https://json-schema.org/draft/2020-12/schema"));
  schema.Add("title", JsonValue::Text(title));
  schema.Add("type", JsonValue::Text("object"));
  schema.Add("if", std::move(has_base));
  schema.Add("then", Reference("config.patch"));
  schema.Add("else", Reference("config"));
  schema.Add("$defs", std::move(definitions));
  return JsonPage(schema);
}

}  // namespace ssm
