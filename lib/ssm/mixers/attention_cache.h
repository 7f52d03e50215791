// How far back an attention mixer sees: the tagged option "cache".
#pragma once

#include "ssm/config/registry.h"
#include "ssm/mixers/state.h"

namespace ssm {

class CacheOptions : public Configurable {
 public:
  /// Newest tokens that a token sees, itself counted; 0: all of its sequence.
  virtual int64_t Window() const = 0;
  /// A slot [width] a token that holds what later tokens need.
  SlotSpec Slot(const char* name, int64_t width) const;
};

/// {"type": "window", "window": W}: a ring of the W - 1 tokens before.
struct WindowCacheOptions final : CacheOptions {
  int64_t window = 64;
  void VisitFields(FieldVisitor& visitor) override;
  int64_t Window() const override { return window; }
};

/// {"type": "full"}: every token, for ever.
struct FullCacheOptions final : CacheOptions {
  void VisitFields(FieldVisitor&) override {}
  int64_t Window() const override { return 0; }
};

const Registry<CacheOptions>& CacheTypes();

}  // namespace ssm
