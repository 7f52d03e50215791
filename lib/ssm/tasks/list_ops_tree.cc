#include "ssm/tasks/list_ops_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

constexpr double kListShare = 0.25;
constexpr int64_t kAttempts = 100'000;

int64_t Apply(int64_t symbol, std::vector<int64_t>& entries) {
  if (symbol == kListMin) return *std::min_element(entries.begin(), entries.end());
  if (symbol == kListMax) return *std::max_element(entries.begin(), entries.end());
  if (symbol == kListSum) return std::accumulate(entries.begin(), entries.end(), int64_t{0}) % 10;
  std::sort(entries.begin(), entries.end());
  const size_t n = entries.size();
  return (entries[(n - 1) / 2] + entries[n / 2]) / 2;
}

/// One attempt, given up when it grows too long.
class Attempt {
 public:
  Attempt(const ListOpsLaw& law, Random& random) : law_(law), random_(random) {
    expression_.value = List(1);
  }
  bool fits() const {
    const int64_t length = std::ssize(expression_.symbols);
    return length >= law_.shortest && length <= law_.longest;
  }
  ListOpsExpression& expression() { return expression_; }

 private:
  bool TooLong() const { return std::ssize(expression_.symbols) > law_.longest; }

  /// `level`: 1 for the outermost list.
  int64_t List(int64_t level) {
    const int64_t symbol = kListMin + random_.Below(4);
    expression_.symbols.push_back(symbol);
    std::vector<int64_t> entries(static_cast<size_t>(2 + random_.Below(law_.arguments - 1)));
    for (int64_t& entry : entries) {
      if (TooLong()) return 0;
      entry = Entry(level + 1);
    }
    expression_.symbols.push_back(kListEnd);
    return Apply(symbol, entries);
  }

  int64_t Entry(int64_t level) {
    if (level < law_.depth && random_.Bernoulli(kListShare)) return List(level);
    expression_.symbols.push_back(random_.Below(10));
    return expression_.symbols.back();
  }

  const ListOpsLaw& law_;
  Random& random_;
  ListOpsExpression expression_;
};

}  // namespace

ListOpsExpression DrawListOps(const ListOpsLaw& law, Random& random) {
  for (int64_t i = 0; i < kAttempts; ++i) {
    Attempt attempt(law, random);
    if (attempt.fits()) return std::move(attempt.expression());
  }
  Fail(ExitCode::kBadConfig,
       fmt::format("list_ops: of {} expressions none had {} to {} symbols; allow more lengths, or "
                   "change depth or arguments",
                   kAttempts, law.shortest, law.longest));
}

}  // namespace ssm
