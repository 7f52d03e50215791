// How many heads channels can be cut into.
#pragma once

#include <cstdint>
#include <string>

namespace ssm {

/// "1, 2, 3 or 6": the numbers of heads that d_model channels can be cut into, of an even number of
/// channels each if `even`.
std::string PossibleHeads(int64_t d_model, bool even);

}  // namespace ssm
