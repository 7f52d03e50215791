#include "ssm/mixers/heads.h"

#include <fmt/format.h>

#include <vector>

namespace ssm {
namespace {

constexpr int64_t kMaxChunk = 1 << 12;

}  // namespace

void VisitHeads(FieldVisitor& visitor, int64_t& heads) {
  visitor.Int("heads", heads, {1, kMaxHeads},
              "groups of d_model / heads channels, each with a state of its own");
}

void VisitChunk(FieldVisitor& visitor, int64_t& chunk) {
  visitor.Int("chunk", chunk, {1, kMaxChunk},
              "tokens that are mixed in one matrix product; changes speed, not results");
}

std::string PossibleHeads(int64_t channels, bool even) {
  std::vector<int64_t> heads;
  for (int64_t n = 1; n <= channels; ++n) {
    if (channels % n == 0 && (!even || channels / n % 2 == 0)) heads.push_back(n);
  }
  if (heads.size() == 1) return std::to_string(heads[0]);
  const int64_t last = heads.back();
  heads.pop_back();
  return fmt::format("{} or {}", fmt::join(heads, ", "), last);
}

bool CheckHeads(int64_t d_model, int64_t heads, Faults& faults) {
  if (d_model % heads == 0) return true;
  faults.Add("heads", fmt::format("{} heads cannot share d_model, {}, equally: use {}", heads,
                                  d_model, PossibleHeads(d_model, false)));
  return false;
}

}  // namespace ssm
