#include "ssm/tasks/dyck_stream.h"

#include <algorithm>

#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kReferences = 4;
constexpr int64_t kDepthLabels = 4;

class DyckStream final : public SequenceStream {
 public:
  DyckStream(const DyckLaw& law, Random random) : law_(law), random_(random) {
    stack_.reserve(static_cast<size_t>(law.depth));
  }

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, law_.steps - at_);
    for (int64_t k = 0; k < count; ++k, ++at_) {
      const int64_t token = Draw();
      if (row.tokens != nullptr) row.tokens[k] = token;
      if (row.latents != nullptr) {
        row.latents[2 * k] = static_cast<double>(stack_.size());
        row.latents[2 * k + 1] =
            static_cast<double>(stack_.empty() ? law_.kinds : stack_.back().kind);
      }
      if (row.lags != nullptr) row.lags[k] = stack_.empty() ? -1 : at_ - stack_.back().step;
      if (!stack_.empty()) WriteAnswer(k, row);
    }
    return count;
  }

 private:
  struct Bracket {
    int64_t kind = 0, step = 0;
  };

  int64_t Draw() {
    const int64_t open = std::ssize(stack_);
    const bool free = open > 0 && open < law_.depth;
    const bool opens = free ? random_.Bernoulli(law_.open) : open == 0;
    if (opens) {
      newest_ = random_.Below(law_.kinds);
      stack_.push_back({newest_, at_});
      return newest_;
    }
    newest_ = stack_.back().kind;
    stack_.pop_back();
    return law_.kinds + newest_;
  }

  void WriteAnswer(int64_t k, const PieceRow& row) const {
    const Bracket& inner = stack_.back();
    if (row.targets != nullptr) row.targets[k] = static_cast<double>(inner.kind);
    if (row.weights != nullptr) row.weights[k] = 1;
    if (row.strata != nullptr && law_.depth > 1) {
      row.strata[k] = std::min<int64_t>(std::ssize(stack_), kDepthLabels) - 1;
    }
    if (row.references == nullptr) return;
    double* to = row.references + k * kReferences * law_.kinds;
    to[inner.kind] = kSureLogit;
    if (at_ - inner.step <= law_.window) to[law_.kinds + inner.kind] = kSureLogit;
    to[2 * law_.kinds + newest_] = 1;
  }

  DyckLaw law_;
  Random random_;
  std::vector<Bracket> stack_;  // those open, outermost first
  int64_t newest_ = 0;          // kind of the newest bracket
  int64_t at_ = 0;
};

}  // namespace

std::unique_ptr<SequenceStream> MakeDyckStream(const DyckLaw& law, Random random) {
  return std::make_unique<DyckStream>(law, random);
}

std::vector<StratumAxis> DyckStrata(int64_t depth) {
  if (depth == 1) return {};
  std::vector<std::string> labels;
  for (int64_t d = 1; d <= std::min(depth, kDepthLabels); ++d) labels.push_back(std::to_string(d));
  if (depth > kDepthLabels) labels.back() += "+";
  return {{"open", labels}};
}

}  // namespace ssm
