#include "ssm/tasks/induction_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kReferences = 4;

class InductionStream final : public SequenceStream {
 public:
  InductionStream(const InductionLaw& law, Random random)
      : law_(law), random_(random), answer_(law.symbols) {
    trigger_ = random_.Below(law_.steps - 3);
  }

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, law_.steps - at_);
    for (int64_t k = 0; k < count; ++k, ++at_) {
      const bool last = at_ == law_.steps - 1;
      if (last) WriteAnswer(k, row);
      const int64_t shown = last || at_ == trigger_ ? law_.symbols : random_.Below(law_.symbols);
      if (at_ == trigger_ + 1) answer_ = shown;
      newest_ = shown;
      if (row.tokens != nullptr) row.tokens[k] = shown;
      if (row.latents != nullptr) row.latents[k] = static_cast<double>(answer_);
    }
    return count;
  }

 private:
  void WriteAnswer(int64_t k, const PieceRow& row) const {
    if (row.targets != nullptr) row.targets[k] = static_cast<double>(answer_);
    if (row.weights != nullptr) row.weights[k] = 1;
    if (row.lags != nullptr) row.lags[k] = at_ - (trigger_ + 1);
    if (row.references == nullptr) return;
    double* to = row.references + k * kReferences * law_.symbols;
    to[answer_] = kSureLogit;
    if (trigger_ >= law_.steps - law_.window) to[law_.symbols + answer_] = kSureLogit;
    to[2 * law_.symbols + newest_] = 1;
  }

  InductionLaw law_;
  Random random_;
  int64_t trigger_ = 0;  // its first step
  int64_t answer_ = 0, newest_ = 0;
  int64_t at_ = 0;
};

}  // namespace

std::unique_ptr<SequenceStream> MakeInductionStream(const InductionLaw& law, Random random) {
  return std::make_unique<InductionStream>(law, random);
}

std::vector<Reference> InductionReferences(int64_t window) {
  return {{"induction", Role::kCeiling},
          {fmt::format("window {}", window), Role::kHeuristic},
          {"newest", Role::kHeuristic},
          {"guess", Role::kChance}};
}

double TriggerInWindow(const InductionLaw& law) {
  const int64_t places = law.steps - 3;
  return static_cast<double>(std::clamp<int64_t>(law.window - 3, 0, places)) /
         static_cast<double>(places);
}

}  // namespace ssm
