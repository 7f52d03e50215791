#include "ssm/config/patch.h"

#include <algorithm>
#include <utility>

namespace ssm {
namespace {

using Kind = JsonValue::Kind;

void MarkStale(JsonValue& value, Stale stale, bool spare_overrides) {
  const bool spared = spare_overrides && value.overrides;
  if (!spared && value.stale == Stale::kNo) value.stale = stale;
  for (JsonMember& member : value.members) MarkStale(member.value, stale, spare_overrides);
}

// Everything set while the object had another type may be unknown to the new one.
void NoteTypeChange(JsonValue& target, const JsonValue& patch, PatchKind kind) {
  const JsonValue* next = patch.Find("type");
  if (next == nullptr || !next->Is(Kind::kString)) return;
  const JsonValue* before = target.Find("type");
  if (before != nullptr && before->Is(Kind::kString) && before->text == next->text) return;
  const bool spare = kind == PatchKind::kOverride;
  for (JsonMember& member : target.members) {
    if (member.key == "type") continue;
    MarkStale(member.value, kind == PatchKind::kLayer ? Stale::kBlock : Stale::kReplaced, spare);
    if (member.value.stale != Stale::kNo) member.value.through.push_back(next->text);
  }
}

void MergeElements(JsonValue& target, std::vector<JsonElementPatch> elements, PatchKind kind) {
  for (JsonElementPatch& element : elements) {
    const auto same = [&](const JsonElementPatch& e) { return e.index == element.index; };
    auto found = std::find_if(target.elements.begin(), target.elements.end(), same);
    if (found == target.elements.end()) {
      found = target.elements.insert(target.elements.end(), {element.index, {}});
    }
    ApplyPatch(found->patch, std::move(element.patch), kind);
  }
}

void Replace(JsonValue& target, JsonValue patch, PatchKind kind) {
  patch.deletes = patch.Is(Kind::kNull);
  patch.deletes_nothing = patch.deletes && target.Absent();
  patch.overrides = kind == PatchKind::kOverride;
  // "layers.0.norm=rms layers=4" means both.
  if (patch.Is(Kind::kNumber)) std::swap(patch.elements, target.elements);
  target = std::move(patch);
}

void MergeObject(JsonValue& target, JsonValue patch, PatchKind kind) {
  if (!target.Is(Kind::kObject)) {
    JsonValue object = JsonValue::Object();
    object.place = patch.place;
    object.elements = std::move(target.elements);
    if (target.Is(Kind::kNumber)) object.beneath.push_back(std::move(target));
    target = std::move(object);
  }
  NoteTypeChange(target, patch, kind);
  target.stale = Stale::kNo;
  target.through.clear();
  target.overrides = kind == PatchKind::kOverride;
  // What is missing from an object is missing from the last file that wrote it.
  if (kind == PatchKind::kFile) target.place = patch.place;
  for (JsonMember& member : patch.members) {
    JsonMember* own = target.FindMember(member.key);
    if (own == nullptr) {
      target.members.push_back({member.key, {}, {}});
      own = &target.members.back();
    }
    own->place = member.place;
    ApplyPatch(own->value, std::move(member.value), kind);
  }
}

}  // namespace

void ApplyPatch(JsonValue& target, JsonValue patch, PatchKind kind) {
  MergeElements(target, std::exchange(patch.elements, {}), kind);
  if (patch.Is(Kind::kObject)) {
    MergeObject(target, std::move(patch), kind);
  } else if (!patch.Is(Kind::kMissing)) {
    Replace(target, std::move(patch), kind);
  }
}

}  // namespace ssm
