#include "ssm/mixers/possible_heads.h"

#include <fmt/format.h>

#include <vector>

namespace ssm {

std::string PossibleHeads(int64_t d_model, bool even) {
  std::vector<int64_t> heads;
  for (int64_t n = 1; n <= d_model; ++n) {
    if (d_model % n == 0 && (!even || d_model / n % 2 == 0)) heads.push_back(n);
  }
  if (heads.size() == 1) return std::to_string(heads[0]);
  const int64_t last = heads.back();
  heads.pop_back();
  return fmt::format("{} or {}", fmt::join(heads, ", "), last);
}

}  // namespace ssm
