#include "ssm/tasks/word_problem.h"

#include <fmt/format.h>

#include <optional>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/tasks/streams.h"

namespace ssm {

void WordProblem::VisitFields(FieldVisitor& visitor) {
  visitor.Text("group", group,
               "Zn: addition modulo n; Sn: permutations of n points; An: the even ones; Z2 to "
               "Z1000, S2 to S6, A3 to A6");
  VisitLengths(visitor);
  visitor.Bool("every", every, "ask on every step, not just the last");
  visitor.Int("window", window, {.min = 1, .max = 1'000'000},
              "elements that the windowed observer looks back on");
}

void WordProblem::Check(Faults& faults) const {
  CheckLengths(faults);
  if (!GroupNamed(group)) {
    faults.Add("group",
               fmt::format("found {}; allowed: {}; choose one of them", Quote(group), kGroupNames));
  }
}

Group WordProblem::TheGroup() const {
  const std::optional<Group> named = GroupNamed(group);
  SSM_CHECK(named.has_value(), "a group that Check refuses");
  return *named;
}

WordLaw WordProblem::LawOf(Split split, const StreamOptions& options) const {
  RequireTrainedRate("word_problem", "elements have", options);
  return {TheGroup(), LengthsOf("word_problem", split, options), every, window};
}

TaskSpec WordProblem::Spec() const {
  const Group of = TheGroup();
  TaskSpec spec;
  spec.tokens = {{"element", of.order()}};
  spec.steps = steps;
  spec.unequal_lengths = UnequalLengths();
  spec.objective = Objective::kSoftmaxCrossEntropy;
  spec.outputs = of.order();
  spec.metric = "accuracy";
  spec.higher_is_better = true;
  spec.references = WordReferences(of, window);
  spec.latents = {{"product", 1, of.order()}};
  return spec;
}

int64_t WordProblem::Examples(Split split, const StreamOptions&) const {
  return split == Split::kProbe ? 0 : -1;
}

std::unique_ptr<SequenceStream> WordProblem::Open(uint64_t seed, Split split, int64_t index,
                                                  const StreamOptions& options) const {
  return MakeWordStream(LawOf(split, options),
                        Random(seed, StreamOf(split), static_cast<uint64_t>(index)));
}

std::vector<KnownValue> WordProblem::Known(Split split, const StreamOptions& options) const {
  return KnownAccuracies(WordReferences(TheGroup(), window), WordAccuracies(LawOf(split, options)));
}

std::string WordProblem::Describe() const {
  const Group of = TheGroup();
  const std::vector<KnownValue> known = Known(Split::kTrain, {});
  std::string text = fmt::format(
      "Elements of the group {}, of which there are {}, are shown at random; {} the model says the "
      "product of all that were shown so far, in their order.",
      group, FormatCount(of.order()), every ? "at every step" : "at the last of them");
  text += DescribeLengths("element");
  text += fmt::format(
      " One element is enough of a state. The newest {} alone are right with probability {} in "
      "training and on longer sequences hardly more often than a guess, {}.",
      FormatCount(window), FormatDigits(known[1].value, 4), FormatDigits(known.back().value, 4));
  if (of.commutes()) return text + " The order of elements does not matter.";
  return text + fmt::format(
                    " Who adds up what each element contributes, in whatever order, is "
                    "right with probability {}.",
                    FormatDigits(known[3].value, 4));
}

}  // namespace ssm
