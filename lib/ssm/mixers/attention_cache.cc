#include "ssm/mixers/attention_cache.h"

namespace ssm {
namespace {

constexpr int64_t kMaxWindow = 1 << 24;

}  // namespace

SlotSpec CacheOptions::Slot(const char* name, int64_t width) const {
  if (Window() == 0) return {.name = name, .kind = SlotKind::kGrowing, .entry = Shape{width}};
  return {.name = name, .kind = SlotKind::kRing, .entry = Shape{width}, .entries = Window() - 1};
}

void WindowCacheOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Int("window", window, {1, kMaxWindow}, "newest tokens that are seen, this one counted");
}

const Registry<CacheOptions>& CacheTypes() {
  static const Registry<CacheOptions> types = [] {
    Registry<CacheOptions> registry;
    registry.Add<WindowCacheOptions>("window", "the newest tokens, in a ring");
    registry.Add<FullCacheOptions>("full", "every token of the sequence, in a cache that grows");
    return registry;
  }();
  return types;
}

}  // namespace ssm
