#include "ssm/tasks/parity.h"

#include <fmt/format.h>

#include "ssm/base/text.h"
#include "ssm/tasks/scorer.h"
#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

/// The generic tallies and, for the model, "scaled_accuracy".
class ParityScorer final : public ObjectiveScorer {
 public:
  explicit ParityScorer(const TaskSpec& spec) : ObjectiveScorer(spec) {}

  Score Finish() override {
    Score score = ObjectiveScorer::Finish();
    for (const Tally& tally : score.tallies) {
      if (tally.subject != "model" || tally.metric != "accuracy" || !tally.axis.empty()) continue;
      Tally scaled = tally;
      scaled.metric = "scaled_accuracy";
      for (size_t i = 0; i < scaled.numerator.size(); ++i) {
        scaled.numerator[i] = 2 * scaled.numerator[i] - scaled.denominator[i];
      }
      score.tallies.push_back(std::move(scaled));
      break;
    }
    return score;
  }
};

}  // namespace

void Parity::VisitFields(FieldVisitor& visitor) {
  VisitLengths(visitor);
  visitor.Bool("every", every, "ask on every step, not just the last");
  visitor.Int("window", window, {.min = 1, .max = 1'000'000},
              "bits that the windowed observer looks back on");
}

void Parity::Check(Faults& faults) const { CheckLengths(faults); }

ParityLaw Parity::LawOf(Split split, const StreamOptions& options) const {
  RequireTrainedRate("parity", "bits have", options);
  const Lengths lengths = LengthsOf("parity", split, options);
  return {lengths.shortest, lengths.longest, every, window};
}

TaskSpec Parity::Spec() const {
  TaskSpec spec;
  spec.tokens = {{"bit", 2}};
  spec.steps = steps;
  spec.unequal_lengths = UnequalLengths();
  spec.objective = Objective::kBinaryCrossEntropy;
  spec.metric = "accuracy";
  spec.higher_is_better = true;
  spec.references = ParityReferences(window);
  spec.latents = {{"parity", 1, 2}};
  return spec;
}

int64_t Parity::Examples(Split split, const StreamOptions&) const {
  return split == Split::kProbe ? 0 : -1;
}

std::unique_ptr<SequenceStream> Parity::Open(uint64_t seed, Split split, int64_t index,
                                             const StreamOptions& options) const {
  return MakeParityStream(LawOf(split, options),
                          Random(seed, StreamOf(split), static_cast<uint64_t>(index)));
}

std::vector<KnownValue> Parity::Known(Split split, const StreamOptions& options) const {
  const ParityLaw law = LawOf(split, options);
  const double values[] = {1, WindowParityAccuracy(law, window), WindowParityAccuracy(law, 1), 0.5};
  return KnownAccuracies(ParityReferences(window), values);
}

std::unique_ptr<Scorer> Parity::MakeScorer(Split) const {
  return std::make_unique<ParityScorer>(Spec());
}

std::string Parity::Describe() const {
  const std::vector<KnownValue> known = Known(Split::kTrain, {});
  std::string text = "Random bits are shown; ";
  text += every ? "at every step the model says whether an odd number of ones was shown so far."
                : "at the last of them the model says whether an odd number of ones was shown.";
  text += DescribeLengths("bit");
  text += fmt::format(
      " One bit is enough of a state, and the newest {} bits alone are right with probability {} "
      "in "
      "training and on longer sequences hardly more often than a guess, 0.5.",
      FormatCount(window), FormatDigits(known[1].value, 4));
  return text;
}

}  // namespace ssm
