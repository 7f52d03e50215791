#include "ssm/tasks/list_copy_stream.h"

#include <algorithm>
#include <cmath>

#include "ssm/tasks/copy_stream.h"
#include "ssm/tasks/largest_count.h"
#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kReferences = 4;

class ListCopyStream final : public SequenceStream {
 public:
  ListCopyStream(const ListCopyLaw& law, Random random)
      : law_(law), random_(random), counts_(static_cast<size_t>(law.symbols), 0) {
    list_.reserve(static_cast<size_t>(law.tokens));
  }

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, law_.steps() - at_);
    for (int64_t k = 0; k < count; ++k, ++at_) {
      const int64_t token = Show();
      if (row.tokens != nullptr) row.tokens[k] = token;
      const bool asks = at_ >= law_.lag();
      if (asks || law_.every) WriteAnswer(k, asks ? at_ - law_.lag() : -1, row);
    }
    return count;
  }

 private:
  int64_t Show() {
    if (at_ >= law_.tokens) return law_.symbols + (at_ >= law_.first_marker() ? 1 : 0);
    const int64_t token = random_.Below(law_.symbols);
    list_.push_back(token);
    ++counts_[static_cast<size_t>(token)];
    return token;
  }

  /// Symbol `j` is asked for; the blank where that is negative.
  void WriteAnswer(int64_t k, int64_t j, const PieceRow& row) const {
    const int64_t answer = j < 0 ? law_.symbols : list_[static_cast<size_t>(j)];
    if (row.targets != nullptr) row.targets[k] = static_cast<double>(answer);
    if (row.weights != nullptr) row.weights[k] = 1;
    if (row.lags != nullptr) row.lags[k] = j < 0 ? -1 : law_.lag();
    if (row.strata != nullptr) row.strata[k] = StratumOf(j);
    if (row.references == nullptr) return;
    const int64_t outputs = law_.outputs();
    double* to = row.references + k * kReferences * outputs;
    for (int64_t r = 0; r < kReferences; ++r, to += outputs) {
      if (j < 0) {
        to[law_.symbols] = kSureLogit;
        continue;
      }
      std::fill(to + law_.symbols, to + outputs, -kSureLogit);
      if (r == 0) to[answer] = kSureLogit;
      if (r == 1) std::copy(counts_.begin(), counts_.end(), to);
      if (r == 2) to[list_.back()] = 1;
    }
  }

  int64_t StratumOf(int64_t j) const {
    if (j < 0) return 0;
    return (law_.every ? 1 : 0) + CopyStratum(law_.tokens, j);
  }

  ListCopyLaw law_;
  Random random_;
  std::vector<int64_t> list_;    // symbols in order
  std::vector<int64_t> counts_;  // of each symbol
  int64_t at_ = 0;
};

}  // namespace

std::unique_ptr<SequenceStream> MakeListCopyStream(const ListCopyLaw& law, Random random) {
  return std::make_unique<ListCopyStream>(law, random);
}

std::vector<Reference> ListCopyReferences() {
  return {{"list", Role::kCeiling},
          {"unordered", Role::kHeuristic},
          {"newest", Role::kHeuristic},
          {"memory-less", Role::kChance}};
}

std::vector<double> ListCopyAccuracies(const ListCopyLaw& law) {
  const double tokens = static_cast<double>(law.tokens);
  const double guess = 1 / static_cast<double>(law.symbols);
  std::vector<double> values = {1, ExpectedLargestCount(law.tokens, law.symbols) / tokens,
                                (1 + (tokens - 1) * guess) / tokens, guess};
  if (!law.every) return values;
  const double asked = tokens / static_cast<double>(law.steps());
  for (double& value : values) value = 1 - asked * (1 - value);
  return values;
}

double MemorylessLoss(const ListCopyLaw& law) {
  const double nats = std::log(static_cast<double>(law.symbols));
  if (!law.every) return nats;
  return static_cast<double>(law.tokens) * nats / static_cast<double>(law.steps());
}

std::vector<StratumAxis> ListCopyStrata(const ListCopyLaw& law) {
  std::vector<StratumAxis> axes = CopyStrata(law.tokens);
  if (!law.every) return axes;
  if (axes.empty()) return {{"token", {"none", "only"}}};
  axes[0].labels.insert(axes[0].labels.begin(), "none");
  return axes;
}

}  // namespace ssm
