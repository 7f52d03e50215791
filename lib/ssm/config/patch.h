// JSON merge patches (RFC 7396) that remember what they did. Internal to this layer.
#pragma once

#include "ssm/config/json_value.h"

namespace ssm {

enum class PatchKind {
  kFile,      // a file over its base
  kOverride,  // an override over everything before it
  kLayer,     // an entry of "layers" over "block"
};

/// Lays `patch` over `target`: objects merge, everything else replaces, null deletes. Deletions
/// stay as nulls with `deletes` set, so that a misspelt one is still found. Where an object's
/// "type" changes, the members set before are marked stale (overrides stand together: one does not
/// make another stale). Every value keeps the place it was written at.
void ApplyPatch(JsonValue& target, JsonValue patch, PatchKind kind);

}  // namespace ssm
