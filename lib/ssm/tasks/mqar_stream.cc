#include "ssm/tasks/mqar_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ssm/tasks/distinct_draws.h"
#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kReferences = 4;

class MqarStream final : public SequenceStream {
 public:
  MqarStream(const MqarLaw& law, Random random)
      : law_(law), random_(random), left_(static_cast<size_t>(law.pairs), true) {
    keys_ = DrawDistinct(random_, law_.pairs, law_.keys());
    values_ = DrawDistinct(random_, law_.pairs, law_.values());
    const std::vector<int64_t> gaps =
        DrawPowerLawDistinct(random_, law_.pairs, law_.places(), law_.power);
    for (const int64_t gap : gaps) {
      queries_.push_back({2 * law_.pairs + 2 * (gap - 1), std::ssize(queries_)});
    }
    std::sort(queries_.begin(), queries_.end(),
              [](const Query& a, const Query& b) { return a.step < b.step; });
  }

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, law_.steps - at_);
    for (int64_t k = 0; k < count; ++k, ++at_) {
      if (row.lags != nullptr) row.lags[k] = -1;
      const int64_t token = Show(k, row);
      if (row.tokens != nullptr) row.tokens[k] = token;
    }
    return count;
  }

 private:
  struct Query {
    int64_t step = 0, pair = 0;
  };

  int64_t Show(int64_t k, const PieceRow& row) {
    const size_t pair = static_cast<size_t>(at_ / 2);
    if (at_ < 2 * law_.pairs) {
      return at_ % 2 == 0 ? 1 + keys_[pair] : law_.first_value() + values_[pair];
    }
    if (next_ < queries_.size() && queries_[next_].step == at_) {
      const int64_t asked = queries_[next_++].pair;
      WriteAnswer(k, asked, row);
      left_[static_cast<size_t>(asked)] = false;
      return 1 + keys_[static_cast<size_t>(asked)];
    }
    return law_.random_filler ? random_.Below(law_.vocabulary) : 0;
  }

  void WriteAnswer(int64_t k, int64_t pair, const PieceRow& row) const {
    const int64_t value = values_[static_cast<size_t>(pair)];
    const int64_t lag = at_ - (2 * pair + 1);
    if (row.targets != nullptr) row.targets[k] = static_cast<double>(value);
    if (row.weights != nullptr) row.weights[k] = 1;
    if (row.lags != nullptr) row.lags[k] = lag;
    if (row.references == nullptr) return;
    double* to = row.references + k * kReferences * law_.values();
    to[value] = kSureLogit;
    to += law_.values();
    if (lag <= law_.window) to[value] = kSureLogit;
    to += law_.values();
    for (size_t i = 0; i < left_.size(); ++i) to[values_[i]] = left_[i] ? 1 : 0;
  }

  MqarLaw law_;
  Random random_;
  std::vector<int64_t> keys_, values_;  // counted from 0
  std::vector<Query> queries_;          // in order of time
  std::vector<bool> left_;              // pairs not asked for yet
  size_t next_ = 0;                     // query
  int64_t at_ = 0;
};

}  // namespace

std::unique_ptr<SequenceStream> MakeMqarStream(const MqarLaw& law, Random random) {
  return std::make_unique<MqarStream>(law, random);
}

std::vector<Reference> MqarReferences(int64_t window) {
  return {{"pairs", Role::kCeiling},
          {fmt::format("window {}", window), Role::kHeuristic},
          {"values left", Role::kHeuristic},
          {"guess", Role::kChance}};
}

double QueriesWithin(const MqarLaw& law, int64_t window) {
  // The lag of pair i at gap g is 2 n + 2 (g - 1) - (2 i + 1), which is at most the window where
  // g <= floor((window + 3) / 2) - n + i.
  const std::vector<double> within =
      PowerLawDrawAtMost(law.pairs, law.places(), law.power, (window + 3) / 2 - law.pairs);
  return std::accumulate(within.begin(), within.end(), 0.0) / static_cast<double>(law.pairs);
}

std::vector<double> MqarAccuracies(const MqarLaw& law) {
  constexpr double kMostWork = 1e9;
  const double pairs = static_cast<double>(law.pairs);
  const double guess = 1 / static_cast<double>(law.values());
  double left = 0;  // the mean of 1 / j over j values left
  for (int64_t j = 1; j <= law.pairs; ++j) left += 1 / static_cast<double>(j) / pairs;
  double window = std::nan("");
  if (std::pow(pairs, 1.5) * static_cast<double>(law.places()) < kMostWork) {
    const double seen = QueriesWithin(law, law.window);
    window = seen + (1 - seen) * guess;
  }
  return {1, window, left, guess};
}

}  // namespace ssm
