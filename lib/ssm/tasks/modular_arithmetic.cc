#include "ssm/tasks/modular_arithmetic.h"

#include <fmt/format.h>

#include "ssm/base/text.h"
#include "ssm/tasks/streams.h"

namespace ssm {

void ModularArithmetic::VisitFields(FieldVisitor& visitor) {
  visitor.Int("modulus", modulus, {.min = 2, .max = 64}, "m: digits and values are 0 to m - 1");
  visitor.Choice("operators", operators, {{"+-", Operators::kSums}, {"+-*", Operators::kAll}},
                 "which stand between digits, each as often");
  VisitLengths(visitor);
  visitor.Bool("every", every, "ask at every digit, not just the last");
}

void ModularArithmetic::Check(Faults& faults) const { CheckLengths(faults); }

ExpressionLaw ModularArithmetic::LawOf(Split split, const StreamOptions& options) const {
  RequireTrainedRate("modular_arithmetic", "digits have", options);
  return {modulus, operators == Operators::kAll, LengthsOf("modular_arithmetic", split, options),
          every};
}

TaskSpec ModularArithmetic::Spec() const {
  TaskSpec spec;
  spec.tokens = {{"symbol", modulus + (operators == Operators::kAll ? 3 : 2)}};
  spec.steps = steps;
  spec.unequal_lengths = UnequalLengths();
  spec.objective = Objective::kSoftmaxCrossEntropy;
  spec.outputs = modulus;
  spec.metric = "accuracy";
  spec.higher_is_better = true;
  spec.references = ExpressionReferences();
  spec.latents = {{"value", 1, modulus}, {"sum of complete terms", 1, modulus}};
  return spec;
}

int64_t ModularArithmetic::Examples(Split split, const StreamOptions&) const {
  return split == Split::kProbe ? 0 : -1;
}

std::unique_ptr<SequenceStream> ModularArithmetic::Open(uint64_t seed, Split split, int64_t index,
                                                        const StreamOptions& options) const {
  return MakeExpressionStream(LawOf(split, options),
                              Random(seed, StreamOf(split), static_cast<uint64_t>(index)));
}

std::vector<KnownValue> ModularArithmetic::Known(Split split, const StreamOptions& options) const {
  return KnownAccuracies(ExpressionReferences(), ExpressionAccuracies(LawOf(split, options)));
}

std::string ModularArithmetic::Describe() const {
  const std::vector<KnownValue> known = Known(Split::kTrain, {});
  std::string text = fmt::format(
      "Digits from 0 to {} are shown with {} between them; {} the model says what the expression "
      "so "
      "far comes to modulo {}.",
      modulus - 1, operators == Operators::kAll ? "plus, minus or times" : "plus or minus",
      every ? "at every digit" : "at the last digit", modulus);
  text += DescribeLengths("step");
  return text + fmt::format(
                    " In training who knows the last term alone is right with probability {}, who "
                    "says 0 with {}, who says the newest digit with {}, who guesses with {}.",
                    FormatDigits(known[1].value, 4), FormatDigits(known[2].value, 4),
                    FormatDigits(known[3].value, 4), FormatDigits(known[4].value, 4));
}

}  // namespace ssm
