// A config as a list of leaves, for hashing and comparing. Internal to this layer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ssm/config/fields.h"

namespace ssm {

struct FlatField {
  std::string pointer;
  std::string value;  // as JSON
  FieldRole role;     // the freer of its own and of those around it
};

/// Where a stack's layers are: "/model/layers", "/model/block" and how many.
struct FlatStack {
  std::string layers, block;
  int64_t size = 0;
};

struct FlatConfig {
  std::vector<FlatField> fields;
  std::vector<FlatStack> stacks;
};

/// Every leaf in the order of the fields. A stack counts by its layers ("layers" and "layers/0/..."
/// but not "block"): how a config spells them does not matter.
FlatConfig FlattenFields(Configurable& config);

}  // namespace ssm
