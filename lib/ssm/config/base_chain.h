// A config file and the files it patches. Internal to this layer.
#pragma once

#include <string>

#include "ssm/config/fault_list.h"
#include "ssm/config/json_value.h"

namespace ssm {

/// The object that `text`, named `name`, and its chain of "base" files make together: each file is
/// a patch over its base, which is sought beside the file that names it. "$schema" and "base" are
/// taken out. Duplicate keys and malformed files go to `faults`.
/// @throws Error(kMissingInput) when a base file is absent; Error(kBadConfig) with all faults so
///         far when a file is not JSON, not an object, or the chain is a cycle.
JsonValue ReadBaseChain(const std::string& text, const std::string& name, FaultList& faults);

}  // namespace ssm
