// Random configurations: a value drawn for some of a struct's fields.
#pragma once

#include <string>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/config/fields.h"

namespace ssm {

/// Overrides "d_state=3", "cache.type=window", "cache.window=5" for about half of the fields:
/// integers near the low end of their range, reals around their default, words and types evenly.
/// Texts, lists, maps and stacks stay as they are. What must hold between fields may not hold.
std::vector<std::string> DrawOverrides(Configurable& options, Random& random);

}  // namespace ssm
