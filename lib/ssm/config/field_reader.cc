#include "ssm/config/field_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "ssm/base/text.h"
#include "ssm/config/field_words.h"
#include "ssm/config/read_value.h"

namespace ssm {
namespace {

using Kind = JsonValue::Kind;

const JsonValue kNothing;

bool IsObject(const JsonValue& value) {
  return value.Is(Kind::kObject) || value.Is(Kind::kMissing) || value.deletes;
}

std::string StaleHint(const JsonValue& json) {
  return json.stale == Stale::kNo
             ? ""
             : "; it was set for another type: set it anew, or to null for the default";
}

// Faults of Check, against keys of one object.
class ObjectFaults final : public Faults {
 public:
  ObjectFaults(const JsonValue& object, const Where& where, std::span<const StackJson> stacks,
               ReadContext& context)
      : object_(object), where_(where), stacks_(stacks), context_(context) {}

  void Add(std::string_view key, std::string_view sentence) override {
    const std::vector<std::string> steps = SplitText(key, '/');
    Where where = where_;
    const StackJson* stack = StackAt(steps);
    if (stack == nullptr) {
      Follow(object_, steps, where);
      return context_.Fault(where, std::string(sentence));
    }
    Follow(object_, std::span(steps).first(1), where);
    where.pointer = PointerTo(where.pointer, steps[1]);
    const JsonValue layer = stack->Layer(*ParseInteger(steps[1]));
    if (!layer.Absent()) where.place = layer.place;
    const std::span<const std::string> below = std::span(steps).subspan(2);
    Follow(layer, below, where);
    // What all layers take from one place is wrong once.
    if (!told_.insert({where.place, Join(below, "/"), std::string(sentence)}).second) return;
    context_.Fault(where, std::string(sentence));
  }

 private:
  /// The stack whose layer a path leads into, or null.
  const StackJson* StackAt(const std::vector<std::string>& steps) const {
    if (steps.size() < 2 || !ParseInteger(steps[1])) return nullptr;
    for (const StackJson& stack : stacks_) {
      if (stack.name() == steps[0]) return &stack;
    }
    return nullptr;
  }

  /// Takes `where` along a path, to the last place on it where something was written.
  static void Follow(const JsonValue& from, std::span<const std::string> steps, Where& where) {
    const JsonValue* value = &from;
    for (const std::string& step : steps) {
      if (step.empty()) continue;
      where.pointer = PointerTo(where.pointer, step);
      value = value == nullptr ? nullptr : value->Find(step);
      if (value != nullptr && !value->Absent()) where.place = value->place;
    }
  }

  const JsonValue& object_;
  const Where& where_;
  std::span<const StackJson> stacks_;
  ReadContext& context_;
  std::set<std::tuple<JsonPlace, std::string, std::string>> told_;
};

}  // namespace

FieldReader::FieldReader(const JsonValue& object, const Where& where, ReadContext& context,
                         const TypeKeys* types)
    : object_(object), where_(where), context_(context), types_(types) {
  if (types != nullptr) known_.emplace_back("type");
}

void FieldReader::Read(Configurable& into) {
  const size_t before = context_.troubles();
  into.VisitFields(*this);
  for (const JsonMember& member : object_.members) {
    ReportRest(member.key, member.place, member.value);
  }
  for (const JsonElementPatch& element : object_.elements) {
    ReportRest(std::to_string(element.index), element.patch.place, element.patch);
  }
  if (context_.troubles() != before) return;
  ObjectFaults faults(object_, where_, stacks_, context_);
  into.Check(faults);
}

const JsonValue& FieldReader::Member(const std::string& name) {
  known_.push_back(name);
  const JsonValue* json = object_.Find(name);
  if (json == nullptr) return kNothing;
  if (types_ == nullptr || types_->Survives(*json, name)) return *json;
  if (json->stale == Stale::kReplaced) context_.Dropped(At(name, *json));
  return kNothing;
}

Where FieldReader::At(const std::string& name, const JsonValue& json) const {
  Where where{PointerTo(where_.pointer, name), json.Absent() ? where_.place : json.place};
  // An override of an element alone.
  if (json.Is(Kind::kMissing) && !json.elements.empty()) {
    where.place = json.elements.front().patch.place;
  }
  return where;
}

void FieldReader::Refuse(const Where& where, const JsonValue& json, const std::string& allowed,
                         const std::string& hint) {
  context_.Fault(where, Mismatch(json, allowed) + StaleHint(json) + hint);
}

void FieldReader::RefuseElements(const std::string& name, const JsonValue& json) {
  const Where where = At(name, json);
  for (const JsonElementPatch& element : json.elements) {
    context_.Fault({PointerTo(where.pointer, std::to_string(element.index)), element.patch.place},
                   fmt::format("found an index; {} is a single value", Quote(name)));
  }
}

void FieldReader::RefuseIndex(const Where& list, const JsonElementPatch& element, size_t size) {
  context_.Fault({PointerTo(list.pointer, std::to_string(element.index)), element.patch.place},
                 size == 0
                     ? fmt::format("found index {}; the list is empty", element.index)
                     : fmt::format("found index {}; allowed: 0 to {}", element.index, size - 1));
}

template <class Take>
void FieldReader::Scalar(const char* name, Take take) {
  const JsonValue& json = Member(name);
  RefuseElements(name, json);
  if (json.Absent() || json.Is(Kind::kMissing)) return;
  const std::string sentence = take(json);
  if (!sentence.empty()) context_.Fault(At(name, json), sentence + StaleHint(json));
}

void FieldReader::Bool(const char* name, bool& value, Doc) {
  Scalar(name, [&](const JsonValue& json) { return TakeBool(json, value); });
}

void FieldReader::Int(const char* name, int64_t& value, IntRange range, Doc) {
  Scalar(name, [&](const JsonValue& json) { return TakeInt(json, range, value); });
}

void FieldReader::Real(const char* name, double& value, RealRange range, Doc) {
  Scalar(name, [&](const JsonValue& json) { return TakeReal(json, range, value); });
}

void FieldReader::Text(const char* name, std::string& value, Doc) {
  Scalar(name, [&](const JsonValue& json) { return TakeText(json, value); });
}

void FieldReader::OptionalText(const char* name, std::optional<std::string>& value, Doc) {
  Scalar(name, [&](const JsonValue& json) {
    std::string text, sentence;
    if (json.Is(Kind::kNull)) {
      value.reset();
    } else if (sentence = TakeText(json, text, "a string or null"); sentence.empty()) {
      value = std::move(text);
    }
    return sentence;
  });
  // A null over a base is a value here.
  const JsonValue* json = object_.Find(name);
  if (json != nullptr && json->deletes) value.reset();
}

void FieldReader::Word(const char* name, int64_t& index, std::span<const char* const> words, Doc) {
  Scalar(name, [&](const JsonValue& json) { return TakeWord(json, words, index); });
}

template <class T, class Take>
void FieldReader::List(const char* name, std::vector<T>& value, const std::string& plural,
                       Take take) {
  const JsonValue& json = Member(name);
  if (json.Absent()) return;
  const Where where = At(name, json);
  if (!json.Is(Kind::kArray) && !json.Is(Kind::kMissing)) {
    const bool scalar = !json.Is(Kind::kObject) && !json.Is(Kind::kNull);
    return Refuse(where, json, "a list of " + plural,
                  scalar ? "; write [" + JsonExcerpt(json) + "]" : "");
  }
  std::vector<T> items = json.Is(Kind::kArray) ? std::vector<T>(json.items.size()) : value;
  const auto take_at = [&](size_t i, const JsonValue& item) {
    const std::string sentence = take(item, items[i]);
    if (sentence.empty()) return;
    context_.Fault({PointerTo(where.pointer, std::to_string(i)), item.place}, sentence);
  };
  for (size_t i = 0; i < json.items.size(); ++i) take_at(i, json.items[i]);
  for (const JsonElementPatch& element : json.elements) {
    const auto i = static_cast<size_t>(element.index);
    if (i < items.size()) {
      take_at(i, element.patch);
    } else {
      RefuseIndex(where, element, items.size());
    }
  }
  value = std::move(items);
}

void FieldReader::IntList(const char* name, std::vector<int64_t>& value, IntRange each, Doc) {
  List(name, value, IntsWords(each),
       [&](const JsonValue& json, int64_t& item) { return TakeInt(json, each, item); });
}

void FieldReader::RealList(const char* name, std::vector<double>& value, RealRange each, Doc) {
  List(name, value, RealsWords(each),
       [&](const JsonValue& json, double& item) { return TakeReal(json, each, item); });
}

void FieldReader::TextList(const char* name, std::vector<std::string>& value, Doc) {
  List(name, value, "strings",
       [](const JsonValue& json, std::string& item) { return TakeText(json, item); });
}

void FieldReader::Object(const char* name, Configurable& value, Doc) {
  const JsonValue& json = Member(name);
  const Where where = At(name, json);
  if (!IsObject(json)) return Refuse(where, json, "an object");
  FieldReader(json, where, context_, nullptr).Read(value);
}

void FieldReader::OptionalObject(const char* name, bool& present, Configurable& value, Doc) {
  const JsonValue& json = Member(name);
  const Where where = At(name, json);
  if (json.Is(Kind::kString) && json.text == "none") {
    present = false;
    return;
  }
  if (!IsObject(json)) {
    const std::vector<std::string> none = {"none"};
    const bool meant = json.Is(Kind::kNull) || (json.Is(Kind::kBool) && json.text == "false");
    return Refuse(where, json, "an object or \"none\"",
                  meant ? "; write \"none\"" : DidYouMean(json.text, none));
  }
  if (!json.Absent()) present = true;
  if (present) FieldReader(json, where, context_, nullptr).Read(value);
}

void FieldReader::ReportRest(const std::string& key, const JsonPlace& place,
                             const JsonValue& value) {
  if (std::find(known_.begin(), known_.end(), key) != known_.end()) return;
  const Where where{PointerTo(where_.pointer, key), place};
  const std::vector<std::string> owners =
      types_ == nullptr ? std::vector<std::string>() : types_->Owners(key);
  // A key the old type had went with it; one that no type ever had is a slip.
  if (value.stale != Stale::kNo && (types_ == nullptr || !owners.empty())) {
    if (value.stale == Stale::kReplaced) context_.Dropped({where.pointer, value.place});
    return;
  }
  context_.Unknown({where.place, where.pointer, key, JsonExcerpt(value), known_, owners});
}

void ReadFields(const JsonValue& object, Configurable& into, ReadContext& context) {
  const Where where{"", object.place};
  FieldReader(object, where, context, nullptr).Read(into);
  context.ReportUnknown(into);
}

}  // namespace ssm
