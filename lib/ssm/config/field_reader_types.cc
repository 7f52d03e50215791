// Tagged objects, stacks, maps and objects that one integer may stand for.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "ssm/base/text.h"
#include "ssm/config/field_paths.h"
#include "ssm/config/field_reader.h"
#include "ssm/config/field_words.h"
#include "ssm/config/name_visitor.h"
#include "ssm/config/read_value.h"

namespace ssm {
namespace {

using Kind = JsonValue::Kind;

bool IsObject(const JsonValue& value) {
  return value.Is(Kind::kObject) || value.Is(Kind::kMissing) || value.deletes;
}

bool Has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Gives one number to all members of an object.
class SharedInt final : public NameVisitor {
 public:
  SharedInt(const JsonValue& number, const Where& where, std::span<int64_t* const> members,
            ReadContext& context)
      : number_(number), where_(where), members_(members), context_(context) {}

  void Int(const char*, int64_t& value, IntRange range, Doc) override {
    if (std::find(members_.begin(), members_.end(), &value) == members_.end()) return;
    const std::string sentence = TakeInt(number_, range, value);
    if (!sentence.empty() && sentence != told_) context_.Fault(where_, sentence);
    if (!sentence.empty()) told_ = sentence;
  }

 protected:
  void Name(const char*) override {}

 private:
  const JsonValue& number_;
  const Where where_;
  std::span<int64_t* const> members_;
  ReadContext& context_;
  std::string told_;
};

}  // namespace

std::vector<std::string> TypeKeys::Owners(const std::string& key) const {
  std::vector<std::string> owners;
  for (size_t i = 0; i < field_.types(); ++i) {
    if (Has(FieldNames(*field_.Make(i)), key)) owners.push_back(field_.type_name(i));
  }
  return owners;
}

bool TypeKeys::Survives(const JsonValue& value, const std::string& key) const {
  if (value.through.empty()) return true;
  const std::vector<std::string> owners = Owners(key);
  return std::all_of(value.through.begin(), value.through.end(),
                     [&](const std::string& type) { return Has(owners, type); });
}

void FieldReader::ObjectOrInt(const char* name, Configurable& value,
                              std::span<int64_t* const> members, Doc) {
  const JsonValue& json = Member(name);
  const Where where = At(name, json);
  const bool number = json.Is(Kind::kNumber);
  if (!number && !IsObject(json)) {
    const std::string all = Join(FieldNames(value), ", ");
    return Refuse(where, json, "an integer, or an object with " + all);
  }
  const size_t before = context_.troubles();
  if (number || !json.beneath.empty()) {
    const JsonValue& shared = number ? json : json.beneath.front();
    SharedInt visitor(shared, {where.pointer, shared.place}, members, context_);
    value.VisitFields(visitor);
  }
  if (context_.troubles() != before) return;
  FieldReader(json, where, context_, nullptr).Read(value);
}

bool FieldReader::SelectType(const Where& where, const JsonValue& json, TaggedField& value) {
  const JsonValue* type = json.Find("type");
  const Where type_where{PointerTo(where.pointer, "type"),
                         type == nullptr ? where.place : type->place};
  const std::vector<std::string> names = TypeNames(value);
  if (type != nullptr && !type->Absent()) {
    const bool stands = value.object() != nullptr && type->text == value.type();
    const bool known = type->Is(Kind::kString) && (stands || value.Select(type->text) != nullptr);
    if (!known) Refuse(type_where, *type, QuotedList(names), DidYouMean(type->text, names));
    return known;
  }
  if (value.object() != nullptr) return true;
  if (context_.types_optional) {
    ++context_.left_unread;
    return false;
  }
  if (json.Absent()) {
    context_.Fault(where,
                   "found nothing; allowed: an object with a \"type\": " + QuotedList(names));
    return false;
  }
  const std::vector<std::string> key = {"type"};
  std::string sentence = "found no \"type\"; allowed: " + QuotedList(names);
  for (const JsonMember& member : json.members) {
    if (NearestName(member.key, key).empty()) continue;
    sentence += fmt::format("; is {} meant to be \"type\"?", Quote(member.key));
  }
  context_.Fault(type_where, sentence);
  return false;
}

void FieldReader::Tagged(const char* name, TaggedField& value, Doc) {
  const JsonValue& json = Member(name);
  const Where where = At(name, json);
  if (!IsObject(json)) {
    const std::vector<std::string> names = TypeNames(value);
    const std::string nearest = Has(names, json.text) ? json.text : NearestName(json.text, names);
    std::string hint;
    if (!nearest.empty()) {
      hint = json.bare ? fmt::format("; write {}.type={}", DottedPath(where.pointer), nearest)
                       : fmt::format("; write {{\"type\": {}}}", Quote(nearest));
    }
    const std::string allowed = fmt::format("an object with a \"type\": {}", QuotedList(names));
    return Refuse(where, json, allowed, hint);
  }
  if (!SelectType(where, json, value)) return;
  const TypeKeys types(value);
  FieldReader(json, where, context_, &types).Read(*value.object());
}

void FieldReader::Map(const char* name, MapField& value, Doc) {
  const JsonValue& json = Member(name);
  const Where where = At(name, json);
  if (!IsObject(json)) {
    return Refuse(where, json, "an object of objects, each under a name of yours");
  }
  const auto read_entry = [&](const std::string& key, const JsonValue& entry) {
    const Where at{PointerTo(where.pointer, key), entry.place};
    const std::vector<std::string> names = value.names();
    if (entry.deletes && entry.deletes_nothing && !Has(names, key)) {
      context_.Fault(at, "found null, and nothing to take away" + DidYouMean(key, names));
    } else if (!IsObject(entry)) {
      Refuse(at, entry, "an object");
    } else if (!entry.deletes) {
      Configurable& into = Has(names, key) ? value.at(key) : value.Insert(key);
      FieldReader(entry, at, context_, nullptr).Read(into);
    }
  };
  for (const JsonMember& member : json.members) read_entry(member.key, member.value);
  for (const JsonElementPatch& element : json.elements) {
    read_entry(std::to_string(element.index), element.patch);
  }
}

std::optional<int64_t> FieldReader::ReadCount(const Where& where, const JsonValue& json,
                                              int64_t before, IntRange range) {
  if (json.Absent() || json.Is(Kind::kMissing)) return std::clamp(before, range.min, range.max);
  const bool list = json.Is(Kind::kArray);
  int64_t count = static_cast<int64_t>(json.items.size());
  if (list ? Contains(range, count) : TakeInt(json, range, count).empty()) return count;
  const std::string allowed =
      IntWords(range) + ", or a list of as many objects that patch the block";
  if (list) {
    context_.Fault(where, fmt::format("found a list of {}; allowed: {}", count, allowed));
  } else {
    Refuse(where, json, allowed);
  }
  return std::nullopt;
}

void FieldReader::ReadBlock(const Where& where, const JsonValue& block, const JsonValue& layers,
                            StackField& value) {
  const size_t unread = context_.left_unread;
  const bool each_patched = !layers.items.empty() || !layers.elements.empty();
  const bool before = std::exchange(context_.types_optional, each_patched);
  FieldReader(block, where, context_, nullptr).Read(value.prototype());
  context_.types_optional = before;
  context_.left_unread = unread;
}

void FieldReader::ReadLayers(const Where& block_where, const Where& where, const StackJson& stack,
                             StackField& value) {
  const bool before = std::exchange(context_.types_optional, false);
  std::set<JsonPlace> muted = context_.MuteKnown();
  for (int64_t i = 0; i < value.size(); ++i) {
    Where at{PointerTo(where.pointer, std::to_string(i)), block_where.place};
    for (const JsonValue* patch : stack.Patches(i)) {
      if (!patch->Is(Kind::kObject)) {
        Refuse({at.pointer, patch->place}, *patch, "an object that patches the block");
      } else if (!patch->members.empty()) {
        at.place = patch->place;
      }
    }
    const JsonValue layer = stack.Layer(i);
    FieldReader(layer, at, context_, nullptr).Read(value.at(i));
  }
  context_.Unmute(std::move(muted));
  context_.types_optional = before;
  for (const JsonElementPatch& element : stack.layers().elements) {
    if (element.index >= value.size()) {
      RefuseIndex(where, element, static_cast<size_t>(value.size()));
    }
  }
}

void FieldReader::Stack(const char* prototype_name, const char* count_name, StackField& value,
                        IntRange count, Doc) {
  const JsonValue& block = Member(prototype_name);
  const JsonValue& layers = Member(count_name);
  const Where block_where = At(prototype_name, block);
  const Where where = At(count_name, layers);
  if (!IsObject(block)) return Refuse(block_where, block, "an object");
  ReadBlock(block_where, block, layers, value);
  const std::optional<int64_t> size = ReadCount(where, layers, value.size(), count);
  if (!size) return;
  value.Resize(*size);
  stacks_.emplace_back(count_name, block, layers);
  ReadLayers(block_where, where, stacks_.back(), value);
}

}  // namespace ssm
