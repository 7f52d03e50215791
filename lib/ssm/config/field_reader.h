// Fills structs from JSON, strictly. Internal to this layer.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ssm/config/config_file.h"
#include "ssm/config/fields.h"
#include "ssm/config/json_value.h"
#include "ssm/config/read_context.h"
#include "ssm/config/stack_json.h"

namespace ssm {

/// Which types of a tagged field have which keys.
class TypeKeys {
 public:
  explicit TypeKeys(const TaggedField& field) : field_(field) {}
  /// The types that have the key.
  std::vector<std::string> Owners(const std::string& key) const;
  /// Whether the value survives all changes of type since it was set: each has the key.
  bool Survives(const JsonValue& value, const std::string& key) const;

 private:
  const TaggedField& field_;
};

/// Reads one object of a config. Faults go to the context.
class FieldReader final : public FieldVisitor {
 public:
  /// `types`: of the tagged field this object belongs to, or null. All must outlive the reader.
  FieldReader(const JsonValue& object, const Where& where, ReadContext& context,
              const TypeKeys* types);

  /// Reads all fields of `into`, reports the keys left over and, when nothing was wrong below this
  /// object, runs its Check.
  void Read(Configurable& into);

  void Bool(const char* name, bool& value, Doc doc) override;
  void Int(const char* name, int64_t& value, IntRange range, Doc doc) override;
  void Real(const char* name, double& value, RealRange range, Doc doc) override;
  void Text(const char* name, std::string& value, Doc doc) override;
  void OptionalText(const char* name, std::optional<std::string>& value, Doc doc) override;
  void IntList(const char* name, std::vector<int64_t>& value, IntRange each, Doc doc) override;
  void RealList(const char* name, std::vector<double>& value, RealRange each, Doc doc) override;
  void TextList(const char* name, std::vector<std::string>& value, Doc doc) override;
  void Object(const char* name, Configurable& value, Doc doc) override;
  void OptionalObject(const char* name, bool& present, Configurable& value, Doc doc) override;
  void ObjectOrInt(const char* name, Configurable& value, std::span<int64_t* const> members,
                   Doc doc) override;
  void Tagged(const char* name, TaggedField& value, Doc doc) override;
  void Stack(const char* prototype_name, const char* count_name, StackField& value, IntRange count,
             Doc doc) override;
  void Map(const char* name, MapField& value, Doc doc) override;

 protected:
  void Word(const char* name, int64_t& index, std::span<const char* const> words, Doc doc) override;

 private:
  /// The value under a key, which is known from here on; a missing one where there is none.
  const JsonValue& Member(const std::string& name);
  Where At(const std::string& name, const JsonValue& json) const;
  void Refuse(const Where& where, const JsonValue& json, const std::string& allowed,
              const std::string& hint = "");
  void RefuseElements(const std::string& name, const JsonValue& json);
  void RefuseIndex(const Where& list, const JsonElementPatch& element, size_t size);

  /// `take`: JsonValue to "" or the sentence of a fault.
  template <class Take>
  void Scalar(const char* name, Take take);
  template <class T, class Take>
  void List(const char* name, std::vector<T>& value, const std::string& plural, Take take);

  /// Chooses the type a tagged object names; false after a fault.
  bool SelectType(const Where& where, const JsonValue& json, TaggedField& value);
  /// How many layers are asked for; nothing after a fault.
  std::optional<int64_t> ReadCount(const Where& where, const JsonValue& json, int64_t before,
                                   IntRange range);
  void ReadBlock(const Where& where, const JsonValue& block, const JsonValue& layers,
                 StackField& value);
  void ReadLayers(const Where& block_where, const Where& where, const StackJson& stack,
                  StackField& value);

  void ReportRest(const std::string& key, const JsonPlace& place, const JsonValue& value);

  const JsonValue& object_;
  const Where& where_;
  ReadContext& context_;
  const TypeKeys* types_;
  std::vector<std::string> known_;
  std::vector<StackJson> stacks_;
};

/// Fills `into` from an object that files and overrides made together, unknown keys reported with
/// the nearest of its fields. `into` is filled as far as it could be.
void ReadFields(const JsonValue& object, Configurable& into, ReadContext& context);

}  // namespace ssm
