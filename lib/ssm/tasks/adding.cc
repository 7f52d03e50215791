#include "ssm/tasks/adding.h"

#include <fmt/format.h>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/tasks/scorer.h"
#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kShortest = 2;  // a step for each mark
constexpr double kNumberVariance = 1.0 / 12;
constexpr double kSumVariance = 2 * kNumberVariance;

}  // namespace

void Adding::VisitFields(FieldVisitor& visitor) {
  visitor.Choice("places", places,
                 {{"anywhere", AddingPlaces::kAnywhere}, {"halves", AddingPlaces::kHalves}},
                 "where the two marks stand: on any two steps, or one in each half");
  visitor.Int("steps", steps, {.min = kShortest, .max = 1'000'000'000}, "length of a sequence");
  visitor.Int("window", window, {.min = 1, .max = 1'000'000'000},
              "steps that the windowed observer looks back on");
}

AddingLaw Adding::LawOf(const StreamOptions& options) const {
  RequireTrainedRate("adding", "numbers have", options);
  const int64_t length = options.steps > 0 ? options.steps : steps;
  if (length < kShortest) {
    Fail(
        ExitCode::kBadConfig,
        fmt::format("adding: sequences of {} have no room for two marks; ask for at least {} steps",
                    FormatCount(length, "step"), kShortest));
  }
  return {places, length, window};
}

TaskSpec Adding::Spec() const {
  TaskSpec spec;
  spec.reals = {"number", "mark"};
  spec.steps = steps;
  spec.objective = Objective::kSquaredError;
  spec.metric = "nmse";
  spec.references = AddingReferences(window);
  spec.has_lags = true;
  spec.latents = {{"sum so far", 1, 0}, {"marks so far", 1, 3}};
  return spec;
}

int64_t Adding::Examples(Split split, const StreamOptions&) const {
  return split == Split::kProbe ? 0 : -1;
}

std::unique_ptr<SequenceStream> Adding::Open(uint64_t seed, Split split, int64_t index,
                                             const StreamOptions& options) const {
  return MakeAddingStream(LawOf(options),
                          Random(seed, StreamOf(split), static_cast<uint64_t>(index)));
}

std::vector<KnownValue> Adding::Known(Split, const StreamOptions& options) const {
  const double values[] = {0, NumbersOutOfWindow(LawOf(options)) * kNumberVariance, kSumVariance};
  std::vector<KnownValue> known;
  for (const bool normed : {true, false}) {
    size_t i = 0;
    for (const Reference& reference : AddingReferences(window)) {
      known.push_back({normed ? "nmse" : "mse", reference.role, reference.name,
                       normed ? values[i] / kSumVariance : values[i],
                       i == 0 ? "exact: all that is asked was shown" : "closed form"});
      ++i;
    }
  }
  return known;
}

std::unique_ptr<Scorer> Adding::MakeScorer(Split) const {
  return std::make_unique<ObjectiveScorer>(Spec(), std::vector<double>{kSumVariance});
}

std::string Adding::Describe() const {
  const std::vector<KnownValue> known = Known(Split::kTest, {});
  return fmt::format(
      "Each of {} steps shows a number uniform between 0 and 1; two of them are marked, {}. At the "
      "last step the model says the sum of these two. Who always says 1 has a mean squared error "
      "of "
      "1/6, and nmse is in units of that; who sees only the newest {} steps has an nmse of {} at "
      "least, a perfect memory 0.",
      FormatCount(steps),
      places == AddingPlaces::kAnywhere ? "anywhere" : "one in each half of the sequence",
      FormatCount(window), FormatDigits(known[1].value, 4));
}

}  // namespace ssm
