// Adding up what passes counted.
#pragma once

#include <span>
#include <vector>

#include "ssm/autograd/tape.h"

namespace ssm {

/// Adds `count` to the one of its name in `counts`, which stay in order of name; a name that is new
/// becomes known, also with 0.
void AddCount(const PassCount& count, std::vector<PassCount>& counts);
/// The same of each of `more`.
void AddCounts(std::span<const PassCount> more, std::vector<PassCount>& counts);

}  // namespace ssm
