// "model.d_model=128": changes given after the files. Internal to this layer.
#pragma once

#include <string>
#include <vector>

#include "ssm/config/fault_list.h"
#include "ssm/config/json_value.h"

namespace ssm {

/// Each override as a patch of the whole config, in order. The value is JSON, or else a bare word;
/// a step that is a number is an element of a list.
/// @throws Error(kUsage) with one line for each that is malformed.
std::vector<JsonValue> ParseOverrides(const std::vector<std::string>& overrides, FaultList& faults);

}  // namespace ssm
