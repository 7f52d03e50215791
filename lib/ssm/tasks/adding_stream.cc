#include "ssm/tasks/adding_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ssm {
namespace {

constexpr int64_t kReferences = 3;

class AddingStream final : public SequenceStream {
 public:
  AddingStream(const AddingLaw& law, Random random) : law_(law), random_(random) {
    if (law_.places == AddingPlaces::kHalves) {
      const int64_t half = law_.steps / 2;
      first_ = random_.Below(half);
      second_ = half + random_.Below(law_.steps - half);
      return;
    }
    first_ = random_.Below(law_.steps);
    second_ = random_.Below(law_.steps - 1);
    if (second_ >= first_) ++second_;  // any step but the first one drawn
    if (first_ > second_) std::swap(first_, second_);
  }

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, law_.steps - at_);
    for (int64_t k = 0; k < count; ++k, ++at_) {
      const double number = random_.Uniform();
      const bool marked = at_ == first_ || at_ == second_;
      if (marked) {
        sum_ += number;
        known_ += at_ >= law_.steps - law_.window ? number : 0.5;
        ++marks_;
      }
      if (row.reals != nullptr) {
        row.reals[2 * k] = number;
        row.reals[2 * k + 1] = marked ? 1 : 0;
      }
      if (row.latents != nullptr) {
        row.latents[2 * k] = sum_;
        row.latents[2 * k + 1] = static_cast<double>(marks_);
      }
      const bool last = at_ == law_.steps - 1;
      if (row.lags != nullptr) row.lags[k] = last ? at_ - first_ : -1;
      if (last) WriteAnswer(k, row);
    }
    return count;
  }

 private:
  void WriteAnswer(int64_t k, const PieceRow& row) const {
    if (row.targets != nullptr) row.targets[k] = sum_;
    if (row.weights != nullptr) row.weights[k] = 1;
    if (row.references == nullptr) return;
    double* to = row.references + k * kReferences;
    to[0] = sum_;
    to[1] = known_;
    to[2] = 1;
  }

  AddingLaw law_;
  Random random_;
  int64_t first_ = 0, second_ = 0;  // marked steps
  double sum_ = 0, known_ = 0;      // of marked numbers; as far as they lie in the window
  int64_t marks_ = 0;
  int64_t at_ = 0;
};

}  // namespace

std::unique_ptr<SequenceStream> MakeAddingStream(const AddingLaw& law, Random random) {
  return std::make_unique<AddingStream>(law, random);
}

std::vector<Reference> AddingReferences(int64_t window) {
  return {{"sum", Role::kCeiling},
          {fmt::format("window {}", window), Role::kHeuristic},
          {"mean", Role::kChance}};
}

double NumbersOutOfWindow(const AddingLaw& law) {
  const int64_t before = std::max<int64_t>(law.steps - law.window, 0);
  const auto share = [](int64_t part, int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  if (law.places == AddingPlaces::kAnywhere) return 2 * share(before, law.steps);
  const int64_t half = law.steps / 2;
  const int64_t other = law.steps - half;
  return share(std::min(before, half), half) + share(std::max<int64_t>(before - half, 0), other);
}

}  // namespace ssm
