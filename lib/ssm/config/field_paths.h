// The names of fields, near and far. Internal to this layer.
#pragma once

#include <string>
#include <vector>

#include "ssm/config/fields.h"

namespace ssm {

/// The keys an object of this struct takes, in order ("type" of a tagged one left out).
std::vector<std::string> FieldNames(Configurable& object);

struct FieldPath {
  std::string dotted;  // "model.block.mixer.d_state"
  std::string leaf;    // "d_state"
};
/// Every field below `root`, those of all types of its tagged fields included, each path once.
std::vector<FieldPath> FieldPaths(Configurable& root);

}  // namespace ssm
