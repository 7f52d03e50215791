#include "ssm/config/stack_json.h"

#include <utility>

#include "ssm/config/patch.h"

namespace ssm {
namespace {

using Kind = JsonValue::Kind;

// The block as its layers see it: what changes of type took from it was reported there.
JsonValue ForLayer(JsonValue block) {
  if (block.stale == Stale::kReplaced) block.stale = Stale::kBlock;
  for (JsonMember& member : block.members) member.value = ForLayer(std::move(member.value));
  return block;
}

}  // namespace

std::vector<const JsonValue*> StackJson::Patches(int64_t i) const {
  std::vector<const JsonValue*> patches;
  if (layers_->Is(Kind::kArray) && i < std::ssize(layers_->items)) {
    patches.push_back(&layers_->items[static_cast<size_t>(i)]);
  }
  for (const JsonElementPatch& element : layers_->elements) {
    if (element.index == i) patches.push_back(&element.patch);
  }
  return patches;
}

JsonValue StackJson::Layer(int64_t i) const {
  JsonValue layer = ForLayer(*block_);
  for (const JsonValue* patch : Patches(i)) {
    if (patch->Is(Kind::kObject)) ApplyPatch(layer, *patch, PatchKind::kLayer);
  }
  return layer;
}

}  // namespace ssm
