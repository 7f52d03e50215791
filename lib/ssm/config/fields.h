// How a struct lists its fields, once; the list reads, writes, documents, validates and hashes it.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ssm {

class FieldVisitor;

/// Collects what is wrong across fields, each against a key of the object that is checked.
class Faults {
 public:
  virtual ~Faults() = default;
  /// `key`: a field of this object, or "a/b" below it, or "" for the object itself. `sentence`:
  /// what was found, what is allowed, what to do.
  virtual void Add(std::string_view key, std::string_view sentence) = 0;
};

/// A struct that lists its fields. Member initialisers are the defaults.
class Configurable {
 public:
  virtual ~Configurable() = default;
  virtual void VisitFields(FieldVisitor& visitor) = 0;
  /// Conditions between fields; runs after all were read and are each in range.
  virtual void Check(Faults&) const {}
};

/// What changing a field means for a run that already exists.
enum class FieldRole {
  kIdentity,   // part of the config hash; a resumed run refuses a change
  kExtension,  // part of the hash; a resumed run may raise it and records extended_from
               // (train.steps)
  kCadence,    // neither: names, logging, evaluation and checkpoint cadence, keep
};

/// A field's one-line help, with its unit, and its role.
struct Doc {
  const char* text;
  FieldRole role;
  Doc(const char* t, FieldRole r = FieldRole::kIdentity) : text(t), role(r) {}  // NOLINT: implicit
};

/// Closed bounds.
struct IntRange {
  int64_t min = std::numeric_limits<int64_t>::min();
  int64_t max = std::numeric_limits<int64_t>::max();
};

/// Bounds, each closed unless said to be open. NaN is never allowed; infinity only where
/// `infinite`.
struct RealRange {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool open_min = false;
  bool open_max = false;
  bool infinite = false;  // written as the string "inf"
};
inline RealRange Positive() { return {.min = 0, .open_min = true}; }
inline RealRange NonNegative() { return {.min = 0}; }
inline RealRange Fraction() { return {.min = 0, .max = 1}; }

/// {"type": NAME, ...}: an object whose fields follow from its type.
class TaggedField {
 public:
  virtual ~TaggedField() = default;
  virtual const std::string& type() const = 0;  // empty: not chosen yet
  virtual Configurable* object() = 0;           // null: not chosen yet
  /// A fresh object of that type, defaults everywhere. Null when there is no such type.
  virtual Configurable* Select(std::string_view type) = 0;
  virtual size_t types() const = 0;
  virtual std::string type_name(size_t i) const = 0;
  virtual std::string type_summary(size_t i) const = 0;
  virtual std::unique_ptr<Configurable> Make(size_t i) const = 0;
};

/// "block": {...}, "layers": n | [patch, ...]: a prototype repeated, or patched once for each.
class StackField {
 public:
  virtual ~StackField() = default;
  virtual Configurable& prototype() = 0;
  virtual int64_t size() const = 0;
  virtual Configurable& at(int64_t i) = 0;
  /// n fresh objects with defaults.
  virtual void Resize(int64_t n) = 0;
};

/// {"NAME": {...}, ...}: objects under names of the user's.
class MapField {
 public:
  virtual ~MapField() = default;
  virtual std::vector<std::string> names() const = 0;
  virtual Configurable& at(std::string_view name) = 0;
  virtual Configurable& Insert(std::string_view name) = 0;
  virtual void Clear() = 0;
  virtual std::unique_ptr<Configurable> Make() const = 0;
};

template <class Enum>
struct Named {
  const char* name;
  Enum value;
};

/// One pass over a struct's fields: a reader, a writer, a describer, a schema, a hash.
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  virtual void Bool(const char* name, bool& value, Doc doc) = 0;
  virtual void Int(const char* name, int64_t& value, IntRange range, Doc doc) = 0;
  virtual void Real(const char* name, double& value, RealRange range, Doc doc) = 0;
  virtual void Text(const char* name, std::string& value, Doc doc) = 0;
  /// A string or null.
  virtual void OptionalText(const char* name, std::optional<std::string>& value, Doc doc) = 0;
  virtual void IntList(const char* name, std::vector<int64_t>& value, IntRange each, Doc doc) = 0;
  virtual void RealList(const char* name, std::vector<double>& value, RealRange each, Doc doc) = 0;
  virtual void TextList(const char* name, std::vector<std::string>& value, Doc doc) = 0;
  virtual void Object(const char* name, Configurable& value, Doc doc) = 0;
  /// An object, or the string "none".
  virtual void OptionalObject(const char* name, bool& present, Configurable& value, Doc doc) = 0;
  /// An object of integers, or one integer that sets all of them.
  virtual void ObjectOrInt(const char* name, Configurable& value, std::span<int64_t* const> members,
                           Doc doc) = 0;
  virtual void Tagged(const char* name, TaggedField& value, Doc doc) = 0;
  virtual void Stack(const char* prototype_name, const char* count_name, StackField& value,
                     IntRange count, Doc doc) = 0;
  virtual void Map(const char* name, MapField& value, Doc doc) = 0;

  /// One of a few words.
  template <class Enum>
  void Choice(const char* name, Enum& value, std::initializer_list<Named<Enum>> choices, Doc doc) {
    std::vector<const char*> names;
    int64_t index = 0;
    for (const Named<Enum>& choice : choices) {
      if (choice.value == value) index = static_cast<int64_t>(names.size());
      names.push_back(choice.name);
    }
    Word(name, index, names, doc);
    value = std::data(choices)[index].value;
  }

 protected:
  virtual void Word(const char* name, int64_t& index, std::span<const char* const> words,
                    Doc doc) = 0;
};

/// StackField over objects of one struct.
template <class Object>
class StackOf final : public StackField {
 public:
  explicit StackOf(std::function<std::unique_ptr<Object>()> make)
      : make_(std::move(make)), prototype_(make_()) {}
  Object& prototype() override { return *prototype_; }
  int64_t size() const override { return static_cast<int64_t>(items_.size()); }
  Object& at(int64_t i) override { return *items_[static_cast<size_t>(i)]; }
  const Object& at(int64_t i) const { return *items_[static_cast<size_t>(i)]; }
  void Resize(int64_t n) override {
    items_.clear();
    for (int64_t i = 0; i < n; ++i) items_.push_back(make_());
  }

 private:
  std::function<std::unique_ptr<Object>()> make_;
  std::unique_ptr<Object> prototype_;
  std::vector<std::unique_ptr<Object>> items_;
};

/// MapField over objects of one struct.
template <class Object>
class MapOf final : public MapField {
 public:
  std::vector<std::string> names() const override {
    std::vector<std::string> result;
    for (const auto& [name, object] : items_) result.push_back(name);
    return result;
  }
  Object& at(std::string_view name) override { return items_.find(name)->second; }
  const Object* Find(std::string_view name) const {
    const auto found = items_.find(name);
    return found == items_.end() ? nullptr : &found->second;
  }
  Object& Insert(std::string_view name) override { return items_[std::string(name)]; }
  void Clear() override { items_.clear(); }
  std::unique_ptr<Configurable> Make() const override { return std::make_unique<Object>(); }

 private:
  std::map<std::string, Object, std::less<>> items_;
};

}  // namespace ssm
