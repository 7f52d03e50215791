#include "ssm/tasks/passkey_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kDigits = 10;
constexpr int64_t kReferences = 3;
constexpr int64_t kDepths = 5;

class PasskeyStream final : public SequenceStream {
 public:
  PasskeyStream(const PasskeyLaw& law, Random random) : law_(law), random_(random) {
    mark_ = random_.Below(law_.places());
    for (int64_t i = 0; i < law_.digits; ++i) key_.push_back(random_.Below(kDigits));
  }

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, law_.steps - at_);
    for (int64_t k = 0; k < count; ++k, ++at_) {
      const int64_t token = Token();
      if (row.tokens != nullptr) row.tokens[k] = token;
      if (row.lags != nullptr) row.lags[k] = Asked() < 0 ? -1 : Lag();
      if (row.strata != nullptr) row.strata[k] = mark_ * kDepths / law_.places();
      if (row.latents != nullptr) {
        for (int64_t i = 0; i < law_.digits; ++i) {
          const bool shown = at_ > mark_ + i;
          row.latents[k * law_.digits + i] = static_cast<double>(shown ? Digit(i) : kDigits);
        }
      }
      if (Asked() >= 0) WriteAnswer(k, Digit(Asked()), row);
    }
    return count;
  }

 private:
  int64_t Digit(int64_t i) const { return key_[static_cast<size_t>(i)]; }
  /// Which digit this step asks for; negative: none.
  int64_t Asked() const { return at_ - (law_.steps - law_.digits); }
  int64_t Lag() const { return law_.steps - law_.digits - mark_ - 1; }

  int64_t Token() {
    if (Asked() >= 0) return kDigits + law_.fillers + 1;
    if (at_ == mark_) return kDigits + law_.fillers;
    if (at_ > mark_ && at_ <= mark_ + law_.digits) return Digit(at_ - mark_ - 1);
    return kDigits + random_.Below(law_.fillers);
  }

  void WriteAnswer(int64_t k, int64_t digit, const PieceRow& row) const {
    if (row.targets != nullptr) row.targets[k] = static_cast<double>(digit);
    if (row.weights != nullptr) row.weights[k] = 1;
    if (row.asked != nullptr) row.asked[k] = Asked();
    if (row.references == nullptr) return;
    double* to = row.references + k * kReferences * kDigits;
    to[digit] = kSureLogit;
    if (Lag() < law_.window) to[kDigits + digit] = kSureLogit;
  }

  PasskeyLaw law_;
  Random random_;
  int64_t mark_ = 0;  // its step
  std::vector<int64_t> key_;
  int64_t at_ = 0;
};

}  // namespace

std::unique_ptr<SequenceStream> MakePasskeyStream(const PasskeyLaw& law, Random random) {
  return std::make_unique<PasskeyStream>(law, random);
}

std::vector<Reference> PasskeyReferences(int64_t window) {
  return {{"key", Role::kCeiling},
          {fmt::format("window {}", window), Role::kHeuristic},
          {"chance", Role::kChance}};
}

std::vector<StratumAxis> PasskeyStrata() {
  return {{"depth", {"0-0.2", "0.2-0.4", "0.4-0.6", "0.6-0.8", "0.8-1"}}};
}

double PasskeyWithin(const PasskeyLaw& law) {
  // The lag is below the window for marks from this step on.
  const int64_t first = std::max<int64_t>(0, law.steps - law.digits - law.window);
  const int64_t within = std::max<int64_t>(0, law.places() - first);
  return static_cast<double>(within) / static_cast<double>(law.places());
}

}  // namespace ssm
