// Types by name, registered by explicit calls.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/config/fields.h"

namespace ssm {

/// Makes objects derived from Base by the name of their type.
template <class Base>
class Registry {
 public:
  struct Entry {
    std::string type;
    std::string summary;  // one line, lower case, no full stop
    std::function<std::unique_ptr<Base>()> make;
  };

  template <class Derived>
  void Add(const std::string& type, const std::string& summary) {
    Add({type, summary, [] { return std::make_unique<Derived>(); }});
  }
  void Add(Entry entry) {
    SSM_CHECK(Find(entry.type) == nullptr, "type " + entry.type + " is registered twice");
    entries_.push_back(std::move(entry));
  }
  const Entry* Find(std::string_view type) const {
    for (const Entry& entry : entries_) {
      if (entry.type == type) return &entry;
    }
    return nullptr;
  }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

/// A field that holds one object of a registered type. The registry must outlive it.
template <class Base>
class OneOf final : public TaggedField {
 public:
  explicit OneOf(const Registry<Base>& registry) : registry_(&registry) {}
  OneOf(const Registry<Base>& registry, std::string_view type) : registry_(&registry) {
    Select(type);
  }

  Base* get() { return value_.get(); }
  const Base* get() const { return value_.get(); }
  Base& operator*() { return *value_; }
  const Base& operator*() const { return *value_; }
  Base* operator->() { return value_.get(); }
  const Base* operator->() const { return value_.get(); }

  const std::string& type() const override { return type_; }
  Configurable* object() override { return value_.get(); }
  Configurable* Select(std::string_view type) override {
    const auto* entry = registry_->Find(type);
    if (entry == nullptr) return nullptr;
    type_ = entry->type;
    value_ = entry->make();
    return value_.get();
  }
  size_t types() const override { return registry_->entries().size(); }
  std::string type_name(size_t i) const override { return registry_->entries()[i].type; }
  std::string type_summary(size_t i) const override { return registry_->entries()[i].summary; }
  std::unique_ptr<Configurable> Make(size_t i) const override {
    return registry_->entries()[i].make();
  }

 private:
  const Registry<Base>* registry_;
  std::string type_;
  std::unique_ptr<Base> value_;
};

}  // namespace ssm
