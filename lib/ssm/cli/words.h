// Positional words of a command line: a file, then dotted overrides.
#pragma once

#include <string>
#include <vector>

#include "ssm/config/config_file.h"

namespace ssm {

/// The first word is the file unless it looks like an override (KEY=VALUE and no such file).
ConfigSource SourceOf(const std::vector<std::string>& words);

}  // namespace ssm
