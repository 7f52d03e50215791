#include "ssm/tasks/parity_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "ssm/tasks/length_range.h"
#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kReferences = 4;

class ParityStream final : public SequenceStream {
 public:
  ParityStream(const ParityLaw& law, Random random)
      : law_(law), random_(random), bits_(static_cast<size_t>(law.window), 0) {
    length_ = law_.shortest + random_.Below(law_.longest - law_.shortest + 1);
  }

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, length_ - at_);
    for (int64_t k = 0; k < count; ++k, ++at_) {
      const int bit = static_cast<int>(random_.Below(2));
      Keep(bit);
      if (row.tokens != nullptr) row.tokens[k] = bit;
      if (row.latents != nullptr) row.latents[k] = all_;
      if (!law_.every && at_ != length_ - 1) continue;
      if (row.targets != nullptr) row.targets[k] = all_;
      if (row.weights != nullptr) row.weights[k] = 1;
      if (row.references == nullptr) continue;
      double* to = row.references + k * kReferences;
      to[0] = Logit(all_);
      to[1] = Logit(in_window_);
      to[2] = Logit(bit);
    }
    return count;
  }

 private:
  static double Logit(int bit) { return bit == 1 ? kSureLogit : -kSureLogit; }

  void Keep(int bit) {
    all_ ^= bit;
    in_window_ ^= bit ^ bits_[ring_];
    bits_[ring_] = bit;
    ring_ = ring_ + 1 == bits_.size() ? 0 : ring_ + 1;
  }

  ParityLaw law_;
  Random random_;
  std::vector<int> bits_;  // the newest, a ring
  size_t ring_ = 0;
  int all_ = 0, in_window_ = 0;  // parities
  int64_t length_ = 0;
  int64_t at_ = 0;
};

}  // namespace

std::unique_ptr<SequenceStream> MakeParityStream(const ParityLaw& law, Random random) {
  return std::make_unique<ParityStream>(law, random);
}

std::vector<Reference> ParityReferences(int64_t window) {
  return {{"parity", Role::kCeiling},
          {fmt::format("window {}", window), Role::kHeuristic},
          {"newest", Role::kHeuristic},
          {"guess", Role::kChance}};
}

double WindowParityAccuracy(const ParityLaw& law, int64_t window) {
  return (1 + ShareWithin({law.shortest, law.longest}, law.every, window)) / 2;
}

}  // namespace ssm
