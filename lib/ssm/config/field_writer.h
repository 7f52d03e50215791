// Structs as JSON. Internal to this layer.
#pragma once

#include "ssm/config/fields.h"
#include "ssm/config/json_value.h"

namespace ssm {

/// Every field of `object`, in order. A tagged field whose type was not chosen is left out.
JsonValue FieldsToJson(Configurable& object);

/// A stack's "layers": the number of them when each equals the block, else a list with, for each,
/// the smallest patch that makes the block into it.
JsonValue LayersToJson(StackField& stack, IntRange count);

/// The smallest merge patch that makes `before` into `after`, both as FieldsToJson writes them.
/// Where "type" changes it lists every field that the change does not carry over.
JsonValue DifferenceAsPatch(const JsonValue& before, const JsonValue& after);

}  // namespace ssm
