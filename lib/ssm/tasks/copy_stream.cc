#include "ssm/tasks/copy_stream.h"

#include <algorithm>
#include <cmath>

#include "ssm/tasks/largest_count.h"
#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kReferences = 5;
constexpr int64_t kNothing = -1;

class CopyStream final : public SequenceStream {
 public:
  CopyStream(const CopyLaw& law, Random random)
      : law_(law), random_(random), counts_(static_cast<size_t>(law.symbols), 0) {
    likeliest_.reserve(static_cast<size_t>(law.tokens));
    places_.reserve(static_cast<size_t>(law.tokens));
    list_.reserve(static_cast<size_t>(law.tokens));
  }

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, law_.steps() - at_);
    for (int64_t k = 0; k < count; ++k, ++at_) {
      const bool asks = at_ >= law_.shown();
      const int64_t token = asks ? law_.symbols + 1 : Show();
      if (row.tokens != nullptr) row.tokens[k] = token;
      if (asks) WriteAnswer(k, at_ - law_.shown(), row);
    }
    return count;
  }

 private:
  /// A symbol where one is due: of the steps left each is as likely to get one of those left.
  int64_t Show() {
    const int64_t due = law_.tokens - std::ssize(list_);
    const bool shows = random_.Below(law_.shown() - at_) < due;
    const int64_t token = shows ? random_.Below(law_.symbols) : law_.symbols;
    const int64_t next = std::ssize(likeliest_);
    if (next < law_.tokens && LikeliestStep(law_, next) == at_) {
      likeliest_.push_back(shows ? token : kNothing);
    }
    if (shows) {
      list_.push_back(token);
      places_.push_back(at_);
      ++counts_[static_cast<size_t>(token)];
    }
    return token;
  }

  void WriteAnswer(int64_t k, int64_t j, const PieceRow& row) const {
    const size_t which = static_cast<size_t>(j);
    if (row.targets != nullptr) row.targets[k] = static_cast<double>(list_[which]);
    if (row.weights != nullptr) row.weights[k] = 1;
    if (row.lags != nullptr) row.lags[k] = at_ - places_[which];
    if (row.strata != nullptr && law_.tokens > 1) row.strata[k] = CopyStratum(law_.tokens, j);
    if (row.references == nullptr) return;
    double* to = row.references + k * kReferences * law_.symbols;
    to[list_[which]] = kSureLogit;
    to += law_.symbols;
    std::copy(counts_.begin(), counts_.end(), to);
    to += law_.symbols;
    if (likeliest_[which] != kNothing) to[likeliest_[which]] = 1;
    to += law_.symbols;
    to[list_.back()] = 1;
  }

  CopyLaw law_;
  Random random_;
  std::vector<int64_t> list_, places_;  // symbols in order, and the steps they stood on
  std::vector<int64_t> likeliest_;      // what stood on each likeliest place
  std::vector<int64_t> counts_;         // of each symbol
  int64_t at_ = 0;
};

/// log of n over k.
double LogChoose(int64_t n, int64_t k) {
  const auto log_factorial = [](int64_t i) { return std::lgamma(static_cast<double>(i) + 1); };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

}  // namespace

int64_t LikeliestStep(const CopyLaw& law, int64_t j) {
  // The probability rises from i - 1 to i while i (M - 1) < j n.
  const int64_t others = law.tokens - 1;
  return j == 0 ? 0 : (j * law.shown() + others - 1) / others - 1;
}

double PlaceProbability(const CopyLaw& law, int64_t j, int64_t step) {
  const int64_t before = step;
  const int64_t after = law.shown() - 1 - step;
  const int64_t later = law.tokens - 1 - j;
  if (before < j || after < later) return 0;
  return std::exp(LogChoose(before, j) + LogChoose(after, later) -
                  LogChoose(law.shown(), law.tokens));
}

std::unique_ptr<SequenceStream> MakeCopyStream(const CopyLaw& law, Random random) {
  return std::make_unique<CopyStream>(law, random);
}

std::vector<Reference> CopyReferences() {
  return {{"list", Role::kCeiling},
          {"unordered", Role::kHeuristic},
          {"likeliest place", Role::kHeuristic},
          {"newest", Role::kHeuristic},
          {"guess", Role::kChance}};
}

std::vector<double> CopyAccuracies(const CopyLaw& law) {
  const double tokens = static_cast<double>(law.tokens);
  const double guess = 1 / static_cast<double>(law.symbols);
  double likeliest = 0;
  for (int64_t j = 0; j < law.tokens; ++j) {
    const double right = PlaceProbability(law, j, LikeliestStep(law, j));
    likeliest += (right + (1 - right) * guess) / tokens;
  }
  return {1, ExpectedLargestCount(law.tokens, law.symbols) / tokens, likeliest,
          (1 + (tokens - 1) * guess) / tokens, guess};
}

std::vector<StratumAxis> CopyStrata(int64_t tokens) {
  if (tokens < 2) return {};
  if (tokens == 2) return {{"token", {"first", "last"}}};
  return {{"token", {"first", "middle", "last"}}};
}

int64_t CopyStratum(int64_t tokens, int64_t j) {
  if (j == 0) return 0;
  const int64_t last = tokens > 2 ? 2 : 1;
  return j == tokens - 1 ? last : 1;
}

}  // namespace ssm
