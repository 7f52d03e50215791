#include "ssm/tasks/narma10.h"

#include <fmt/format.h>

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/tasks/narma_series.h"
#include "ssm/tasks/scorer.h"
#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kBurn = 50;
// Of y, measured on ten million steps.
constexpr double kMean = 0.3884;
constexpr double kVariance = 0.01188;

std::vector<Reference> References() {
  return {
      {"recursion", Role::kCeiling}, {"output before", Role::kHeuristic}, {"mean", Role::kChance}};
}

class NarmaStream final : public SequenceStream {
 public:
  NarmaStream(int64_t steps, Random random) : steps_(steps), random_(random) {}

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, steps_ - at_);
    for (int64_t k = 0; k < count; ++k, ++at_) {
      const double u = random_.Uniform(0, 0.5);
      const double before = y_;
      y_ = series_.Next(u);
      if (row.reals != nullptr) row.reals[k] = u;
      if (row.targets != nullptr) row.targets[k] = y_;
      if (row.weights != nullptr) row.weights[k] = at_ >= kBurn ? 1 : 0;
      if (row.latents != nullptr) row.latents[k] = before;
      if (row.references == nullptr) continue;
      double* to = row.references + 3 * k;
      to[0] = y_;
      to[1] = before;
      to[2] = kMean;
    }
    return count;
  }

 private:
  int64_t steps_;
  Random random_;
  NarmaSeries series_;
  double y_ = 0;
  int64_t at_ = 0;
};

}  // namespace

void Narma10::VisitFields(FieldVisitor& visitor) {
  visitor.Int("steps", steps, {.min = 1, .max = 1'000'000'000}, "length of a sequence");
}

void Narma10::Check(Faults& faults) const {
  if (steps <= kBurn) {
    faults.Add("steps",
               fmt::format("is {}, but scoring starts after {} steps: ask for more", steps, kBurn));
  }
}

int64_t Narma10::StepsOf(const StreamOptions& options) const {
  RequireTrainedRate("narma10", "the recursion has", options);
  const int64_t length = options.steps > 0 ? options.steps : steps;
  if (length <= kBurn) {
    Fail(ExitCode::kBadConfig,
         fmt::format("narma10: sequences of {} end before scoring starts, after {}; ask for longer "
                     "ones",
                     FormatCount(length, "step"), FormatCount(kBurn, "step")));
  }
  return length;
}

TaskSpec Narma10::Spec() const {
  TaskSpec spec;
  spec.reals = {"u"};
  spec.steps = steps;
  spec.objective = Objective::kSquaredError;
  spec.metric = "nmse";
  spec.references = References();
  spec.latents = {{"y", 1, 0}};
  return spec;
}

int64_t Narma10::Examples(Split split, const StreamOptions&) const {
  return split == Split::kProbe ? 0 : -1;
}

std::unique_ptr<SequenceStream> Narma10::Open(uint64_t seed, Split split, int64_t index,
                                              const StreamOptions& options) const {
  return std::make_unique<NarmaStream>(StepsOf(options),
                                       Random(seed, StreamOf(split), static_cast<uint64_t>(index)));
}

std::vector<KnownValue> Narma10::Known(Split, const StreamOptions& options) const {
  StepsOf(options);
  return {{"nmse", Role::kCeiling, "recursion", 0, "exact: all that is asked was shown"}};
}

std::unique_ptr<Scorer> Narma10::MakeScorer(Split) const {
  return std::make_unique<ObjectiveScorer>(Spec(), std::vector<double>{kVariance});
}

std::string Narma10::Describe() const {
  return fmt::format(
      "Each of {} steps shows a number uniform between 0 and 0.5, which drives the recursion "
      "NARMA-10; the model says what it comes to, a product of numbers ten steps apart among its "
      "terms. All that is asked was shown. The error is in units of the variance of the output, "
      "{}. Beside the model: the output of the step before, which models are not shown, and the "
      "mean, {}. The first {} steps are not scored.",
      FormatCount(steps), FormatNumber(kVariance), FormatNumber(kMean), kBurn);
}

}  // namespace ssm
