#include "ssm/tasks/mackey_glass.h"

#include <fmt/format.h>

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/tasks/mackey_glass_series.h"
#include "ssm/tasks/scorer.h"
#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kTransient = 1000;
constexpr int64_t kBurn = 17;  // the delay
// Of the series, measured on two million steps of 40 histories.
constexpr double kMean = 0.930;
constexpr double kVariance = 0.0511;

std::vector<Reference> References() {
  return {{"equation", Role::kCeiling}, {"newest", Role::kHeuristic}, {"mean", Role::kChance}};
}

class MackeyGlassStream final : public SequenceStream {
 public:
  MackeyGlassStream(int64_t steps, int64_t horizon, Random random)
      : steps_(steps), series_(random.Uniform(1.1, 1.3)), ahead_(static_cast<size_t>(horizon)) {
    for (int64_t t = 0; t < kTransient; ++t) series_.Next();
    for (double& x : ahead_) x = series_.Next();
  }

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, steps_ - at_);
    for (int64_t k = 0; k < count; ++k, ++at_) {
      double& slot = ahead_[static_cast<size_t>(at_) % ahead_.size()];
      const double now = slot;
      slot = series_.Next();
      if (row.reals != nullptr) row.reals[k] = now;
      if (row.targets != nullptr) row.targets[k] = slot;
      if (row.weights != nullptr) row.weights[k] = at_ >= kBurn ? 1 : 0;
      if (row.latents != nullptr) row.latents[k] = now;
      if (row.references == nullptr) continue;
      double* to = row.references + 3 * k;
      to[0] = slot;
      to[1] = now;
      to[2] = kMean;
    }
    return count;
  }

 private:
  int64_t steps_;
  MackeyGlassSeries series_;
  std::vector<double> ahead_;  // the next `horizon` values, a ring
  int64_t at_ = 0;
};

}  // namespace

void MackeyGlass::VisitFields(FieldVisitor& visitor) {
  visitor.Int("horizon", horizon, {.min = 1, .max = 10'000}, "steps ahead that are asked for");
  visitor.Int("steps", steps, {.min = 1, .max = 1'000'000'000}, "length of a sequence");
}

void MackeyGlass::Check(Faults& faults) const {
  if (steps <= kBurn) {
    faults.Add("steps", fmt::format("is {}, but scoring starts after {} steps, the delay: ask for "
                                    "more",
                                    steps, kBurn));
  }
}

int64_t MackeyGlass::StepsOf(const StreamOptions& options) const {
  RequireTrainedRate("mackey_glass", "the series has", options);
  const int64_t length = options.steps > 0 ? options.steps : steps;
  if (length <= kBurn) {
    Fail(ExitCode::kBadConfig,
         fmt::format("mackey_glass: sequences of {} end before scoring starts, after {}; ask for "
                     "longer ones",
                     FormatCount(length, "step"), FormatCount(kBurn, "step")));
  }
  return length;
}

TaskSpec MackeyGlass::Spec() const {
  TaskSpec spec;
  spec.reals = {"x"};
  spec.steps = steps;
  spec.objective = Objective::kSquaredError;
  spec.metric = "nmse";
  spec.references = References();
  spec.latents = {{"x", 1, 0}};
  return spec;
}

int64_t MackeyGlass::Examples(Split split, const StreamOptions&) const {
  return split == Split::kProbe ? 0 : -1;
}

std::unique_ptr<SequenceStream> MackeyGlass::Open(uint64_t seed, Split split, int64_t index,
                                                  const StreamOptions& options) const {
  return std::make_unique<MackeyGlassStream>(
      StepsOf(options), horizon, Random(seed, StreamOf(split), static_cast<uint64_t>(index)));
}

std::vector<KnownValue> MackeyGlass::Known(Split, const StreamOptions& options) const {
  StepsOf(options);
  return {{"nmse", Role::kCeiling, "equation", 0, "exact: the past determines the series"}};
}

std::unique_ptr<Scorer> MackeyGlass::MakeScorer(Split) const {
  return std::make_unique<ObjectiveScorer>(Spec(), std::vector<double>{kVariance});
}

std::string MackeyGlass::Describe() const {
  return fmt::format(
      "A chaotic series, the Mackey-Glass equation with a delay of 17, is shown for {}; each asks "
      "where it will be {} later. Its past determines it, so nothing but the model's own error is "
      "left. The error is in units of the variance of the series, {}; its root is the NRMSE of the "
      "literature. Beside the model: the newest value again, and the mean, {}.",
      FormatCount(steps, "step"), FormatCount(horizon, "step"), FormatNumber(kVariance),
      FormatNumber(kMean));
}

}  // namespace ssm
