// A visitor for which every kind of field is a name. Internal to this layer.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ssm/config/fields.h"

namespace ssm {

/// Visits names alone; what lies below is the derived class's business.
class NameVisitor : public FieldVisitor {
 public:
  void Bool(const char* name, bool&, Doc) override { Name(name); }
  void Int(const char* name, int64_t&, IntRange, Doc) override { Name(name); }
  void Real(const char* name, double&, RealRange, Doc) override { Name(name); }
  void Text(const char* name, std::string&, Doc) override { Name(name); }
  void OptionalText(const char* name, std::optional<std::string>&, Doc) override { Name(name); }
  void IntList(const char* name, std::vector<int64_t>&, IntRange, Doc) override { Name(name); }
  void RealList(const char* name, std::vector<double>&, RealRange, Doc) override { Name(name); }
  void TextList(const char* name, std::vector<std::string>&, Doc) override { Name(name); }
  void Object(const char* name, Configurable& value, Doc) override { Below(name, &value); }
  void OptionalObject(const char* name, bool&, Configurable& value, Doc) override {
    Below(name, &value);
  }
  void ObjectOrInt(const char* name, Configurable& value, std::span<int64_t* const>, Doc) override {
    Below(name, &value);
  }
  void Tagged(const char* name, TaggedField& value, Doc) override { Types(name, value); }
  void Stack(const char* prototype_name, const char* count_name, StackField& value, IntRange,
             Doc) override {
    Below(prototype_name, &value.prototype());
    Name(count_name);
  }
  void Map(const char* name, MapField& value, Doc) override { Entries(name, value); }

 protected:
  void Word(const char* name, int64_t&, std::span<const char* const>, Doc) override { Name(name); }

  virtual void Name(const char* name) = 0;
  virtual void Below(const char* name, Configurable*) { Name(name); }
  virtual void Types(const char* name, TaggedField&) { Name(name); }
  virtual void Entries(const char* name, MapField&) { Name(name); }
};

}  // namespace ssm
