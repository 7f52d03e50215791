#include "ssm/tasks/word_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

class WordStream final : public SequenceStream {
 public:
  WordStream(const WordLaw& law, Random random)
      : law_(law), random_(random), before_(static_cast<size_t>(law.window), 0) {
    length_ =
        law_.lengths.shortest + random_.Below(law_.lengths.longest - law_.lengths.shortest + 1);
  }

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, length_ - at_);
    for (int64_t k = 0; k < count; ++k, ++at_) {
      const int64_t element = random_.Below(law_.group.order());
      before_[ring_] = product_;
      ring_ = ring_ + 1 == before_.size() ? 0 : ring_ + 1;
      product_ = law_.group.Product(product_, element);
      if (row.tokens != nullptr) row.tokens[k] = element;
      if (row.latents != nullptr) row.latents[k] = static_cast<double>(product_);
      if (!law_.every && at_ != length_ - 1) continue;
      if (row.targets != nullptr) row.targets[k] = static_cast<double>(product_);
      if (row.weights != nullptr) row.weights[k] = 1;
      if (row.references != nullptr) WriteReferences(k, element, row);
    }
    return count;
  }

 private:
  void WriteReferences(int64_t k, int64_t element, const PieceRow& row) {
    const Group& group = law_.group;
    const int64_t order = group.order();
    const int64_t references = group.commutes() ? 4 : 5;
    double* to = row.references + k * references * order;
    to[product_] = kSureLogit;
    to += order;
    const int64_t unseen = before_[ring_];  // 1 while all lie in the window
    to[group.Product(group.Inverse(unseen), product_)] = kSureLogit;
    to += order;
    to[element] = 1;
    to += order;
    if (group.commutes()) return;
    if (cosets_.empty()) {
      for (int64_t a = 0; a < order; ++a) cosets_.push_back(group.Coset(a));
    }
    const int64_t coset = cosets_[static_cast<size_t>(product_)];
    for (int64_t a = 0; a < order; ++a) to[a] = cosets_[static_cast<size_t>(a)] == coset ? 1 : 0;
  }

  WordLaw law_;
  Random random_;
  std::vector<int64_t> before_;  // products before each of the newest elements, a ring
  size_t ring_ = 0;
  std::vector<int64_t> cosets_;  // of each element, once it is asked for
  int64_t product_ = 0;
  int64_t length_ = 0;
  int64_t at_ = 0;
};

}  // namespace

std::unique_ptr<SequenceStream> MakeWordStream(const WordLaw& law, Random random) {
  return std::make_unique<WordStream>(law, random);
}

std::vector<Reference> WordReferences(const Group& group, int64_t window) {
  std::vector<Reference> references = {{"product", Role::kCeiling},
                                       {fmt::format("window {}", window), Role::kHeuristic},
                                       {"newest", Role::kHeuristic}};
  if (!group.commutes()) references.push_back({"coset", Role::kHeuristic});
  references.push_back({"guess", Role::kChance});
  return references;
}

std::vector<double> WordAccuracies(const WordLaw& law) {
  const double guess = 1 / static_cast<double>(law.group.order());
  const auto within = [&](int64_t window) {
    const double share = ShareWithin(law.lengths, law.every, window);
    return share + (1 - share) * guess;
  };
  std::vector<double> values = {1, within(law.window), within(1)};
  if (!law.group.commutes()) values.push_back(static_cast<double>(law.group.cosets()) * guess);
  values.push_back(guess);
  return values;
}

}  // namespace ssm
