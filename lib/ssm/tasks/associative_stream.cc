#include "ssm/tasks/associative_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kReferences = 4;
constexpr int64_t kNever = -1;

class AssociativeStream final : public SequenceStream {
 public:
  AssociativeStream(const AssociativeLaw& law, Random random)
      : law_(law), random_(random), shown_(static_cast<size_t>(law.keys), kNever) {
    for (int64_t key = 0; key < law_.keys; ++key) values_.push_back(random_.Below(law_.values));
  }

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, law_.steps - at_);
    for (int64_t k = 0; k < count; ++k, ++at_) {
      if (row.lags != nullptr) row.lags[k] = kNever;
      const int64_t token = at_ == law_.steps - 1 ? Ask(k, row) : Show();
      if (row.tokens != nullptr) row.tokens[k] = token;
    }
    return count;
  }

 private:
  int64_t Show() {
    const int64_t place = at_ - law_.steps % 2;
    if (place < 0 || place == 2 * law_.pairs()) return law_.keys + law_.values;
    if (place % 2 == 0) return key_ = random_.Below(law_.keys);
    int64_t& last = shown_[static_cast<size_t>(key_)];
    if (last == kNever) met_.push_back(key_);
    last = at_;
    newest_ = values_[static_cast<size_t>(key_)];
    return law_.keys + newest_;
  }

  /// The key asked for.
  int64_t Ask(int64_t k, const PieceRow& row) {
    const int64_t key = met_[static_cast<size_t>(random_.Below(std::ssize(met_)))];
    const int64_t value = values_[static_cast<size_t>(key)];
    const int64_t lag = at_ - shown_[static_cast<size_t>(key)];
    if (row.targets != nullptr) row.targets[k] = static_cast<double>(value);
    if (row.weights != nullptr) row.weights[k] = 1;
    if (row.lags != nullptr) row.lags[k] = lag;
    if (row.references == nullptr) return key;
    double* to = row.references + k * kReferences * law_.values;
    to[value] = kSureLogit;
    if (lag <= law_.window) to[law_.values + value] = kSureLogit;
    to[2 * law_.values + newest_] = 1;
    return key;
  }

  AssociativeLaw law_;
  Random random_;
  std::vector<int64_t> values_;  // of each key, counted from 0
  std::vector<int64_t> shown_;   // step each key's value was shown last
  std::vector<int64_t> met_;     // keys shown, in order of their first time
  int64_t key_ = 0, newest_ = 0;
  int64_t at_ = 0;
};

}  // namespace

std::unique_ptr<SequenceStream> MakeAssociativeStream(const AssociativeLaw& law, Random random) {
  return std::make_unique<AssociativeStream>(law, random);
}

std::vector<Reference> AssociativeReferences(int64_t window) {
  return {{"pairs", Role::kCeiling},
          {fmt::format("window {}", window), Role::kHeuristic},
          {"newest", Role::kHeuristic},
          {"guess", Role::kChance}};
}

double AskedAmongNewest(const AssociativeLaw& law, int64_t newest) {
  const int64_t pairs = law.pairs();
  const int64_t m = std::clamp<int64_t>(newest, 0, pairs);
  if (m == pairs) return 1;
  const double keys = static_cast<double>(law.keys);
  const double missing = 1 - 1 / keys;  // a key is not the one of a pair
  if (keys * std::pow(missing, static_cast<double>(pairs)) < 1e-12) {
    return 1 - std::pow(missing, static_cast<double>(m));
  }
  const size_t most = static_cast<size_t>(law.keys);
  // E[1 / D_P | D_t = d], from t = P back to m: the pairs' order does not matter.
  std::vector<double> share(most + 1, 0.0);
  for (size_t d = 1; d <= most; ++d) share[d] = 1 / static_cast<double>(d);
  for (int64_t t = pairs; t > m; --t) {
    for (size_t d = 0; d < most; ++d) {
      const double old = static_cast<double>(d) / keys;
      share[d] = old * share[d] + (1 - old) * share[d + 1];
    }
  }
  std::vector<double> met(most + 1, 0.0);  // P(D_t = d)
  met[0] = 1;
  for (int64_t t = 0; t < m; ++t) {
    for (size_t d = most; d >= 1; --d) {
      const double old = static_cast<double>(d) / keys;
      met[d] = old * met[d] + (1 - old + 1 / keys) * met[d - 1];
    }
    met[0] = 0;
  }
  double sum = 0;
  for (size_t d = 1; d <= most; ++d) sum += met[d] * static_cast<double>(d) * share[d];
  return sum;
}

std::vector<double> AssociativeAccuracies(const AssociativeLaw& law) {
  const double guess = 1 / static_cast<double>(law.values);
  const auto knows = [&](double seen) { return seen + (1 - seen) * guess; };
  // The value of the newest pair is shown two steps before the last, that before it two earlier.
  return {1, knows(AskedAmongNewest(law, law.window / 2)), knows(AskedAmongNewest(law, 1)), guess};
}

}  // namespace ssm
