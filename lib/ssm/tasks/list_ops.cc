#include "ssm/tasks/list_ops.h"

#include <fmt/format.h>

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kValues = 10;
constexpr int64_t kReferences = 4;

std::vector<Reference> References() {
  return {{"value", Role::kCeiling},
          {"outermost operator", Role::kHeuristic},
          {"zero", Role::kHeuristic},
          {"guess", Role::kChance}};
}

class ListOpsStream final : public SequenceStream {
 public:
  ListOpsStream(const ListOpsLaw& law, Random random) : expression_(DrawListOps(law, random)) {}

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t length = std::ssize(expression_.symbols);
    const int64_t count = std::min(n, length - at_);
    for (int64_t k = 0; k < count; ++k, ++at_) {
      const int64_t symbol = expression_.symbols[static_cast<size_t>(at_)];
      if (symbol >= kListMin) open_ += symbol == kListEnd ? -1 : 1;
      if (row.tokens != nullptr) row.tokens[k] = symbol;
      if (row.latents != nullptr) row.latents[k] = static_cast<double>(open_);
      if (at_ == length - 1) WriteAnswer(k, row);
    }
    return count;
  }

 private:
  void WriteAnswer(int64_t k, const PieceRow& row) const {
    if (row.targets != nullptr) row.targets[k] = static_cast<double>(expression_.value);
    if (row.weights != nullptr) row.weights[k] = 1;
    if (row.references == nullptr) return;
    double* to = row.references + k * kReferences * kValues;
    to[expression_.value] = kSureLogit;
    // Least and greatest entries are most often the ends, medians the middle; sums are even.
    const int64_t outermost = expression_.symbols.front();
    if (outermost == kListMin) to[kValues] = 1;
    if (outermost == kListMax) to[kValues + 9] = 1;
    if (outermost == kListMedian) to[kValues + 4] = 1;
    to[2 * kValues] = 1;
  }

  ListOpsExpression expression_;
  int64_t open_ = 0;  // lists
  int64_t at_ = 0;
};

}  // namespace

void ListOps::VisitFields(FieldVisitor& visitor) {
  visitor.Int("depth", depth, {.min = 2, .max = 64}, "most levels, digits being one of them");
  visitor.Int("arguments", arguments, {.min = 2, .max = 1000}, "most entries of a list");
  visitor.Int("min_steps", min_steps, {.min = 4, .max = 1'000'000},
              "symbols of the shortest expressions");
  visitor.Int("steps", steps, {.min = 4, .max = 1'000'000}, "symbols of the longest");
}

void ListOps::Check(Faults& faults) const {
  if (min_steps > steps) {
    faults.Add("min_steps", fmt::format("is {}, but the longest expressions have {} symbols "
                                        "(steps): make it at most that",
                                        min_steps, steps));
  }
}

ListOpsLaw ListOps::LawOf(const StreamOptions& options) const {
  RequireTrainedRate("list_ops", "symbols have", options);
  const int64_t longest = options.steps > 0 ? options.steps : steps;
  if (longest < min_steps) {
    Fail(ExitCode::kBadConfig,
         fmt::format("list_ops: sequences of at most {} are shorter than the shortest of {} "
                     "(task.min_steps); ask for longer ones or lower it",
                     FormatCount(longest, "step"), FormatCount(min_steps)));
  }
  return {depth, arguments, min_steps, longest};
}

TaskSpec ListOps::Spec() const {
  TaskSpec spec;
  spec.tokens = {{"symbol", kListSymbols}};
  spec.steps = steps;
  spec.unequal_lengths = true;
  spec.objective = Objective::kSoftmaxCrossEntropy;
  spec.outputs = kValues;
  spec.metric = "accuracy";
  spec.higher_is_better = true;
  spec.references = References();
  spec.latents = {{"lists open", 1, depth}};
  return spec;
}

int64_t ListOps::Examples(Split split, const StreamOptions&) const {
  return split == Split::kProbe ? 0 : -1;
}

std::unique_ptr<SequenceStream> ListOps::Open(uint64_t seed, Split split, int64_t index,
                                              const StreamOptions& options) const {
  return std::make_unique<ListOpsStream>(
      LawOf(options), Random(seed, StreamOf(split), static_cast<uint64_t>(index)));
}

std::vector<KnownValue> ListOps::Known(Split, const StreamOptions& options) const {
  LawOf(options);
  return {{"accuracy", Role::kCeiling, "value", 1, "exact: all that is asked was shown"},
          {"accuracy", Role::kChance, "guess", 0.1, "closed form"}};
}

std::string ListOps::Describe() const {
  return fmt::format(
      "Nested lists of digits, up to {} deep and with up to {} entries each, stand under minimum, "
      "maximum, median or sum modulo 10; sequences have {} to {} symbols. At the last symbol the "
      "model says the value, one of ten. Beside the model: who sees the outermost operator alone, "
      "who says 0, and who guesses (10 % right).",
      depth - 1, FormatCount(arguments), FormatCount(min_steps), FormatCount(steps));
}

}  // namespace ssm
