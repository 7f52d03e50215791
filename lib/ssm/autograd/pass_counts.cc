#include "ssm/autograd/pass_counts.h"

#include <algorithm>
#include <string_view>

namespace ssm {

void AddCount(const PassCount& count, std::vector<PassCount>& counts) {
  const std::string_view name = count.name;
  const auto less = [](const PassCount& known, std::string_view key) { return known.name < key; };
  const auto at = std::lower_bound(counts.begin(), counts.end(), name, less);
  if (at == counts.end() || at->name != name) {
    counts.insert(at, count);
  } else {
    at->n += count.n;
  }
}

void AddCounts(std::span<const PassCount> more, std::vector<PassCount>& counts) {
  for (const PassCount& count : more) AddCount(count, counts);
}

}  // namespace ssm
