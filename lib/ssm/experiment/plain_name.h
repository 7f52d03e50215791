// Names that may name a folder.
#pragma once

#include <string>

namespace ssm {

/// Whether `name` is 1 to 100 letters, digits, '.', '_' and '-', not beginning with '.' or '-'.
bool IsPlainName(const std::string& name);

}  // namespace ssm
