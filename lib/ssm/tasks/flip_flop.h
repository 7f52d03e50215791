// flip_flop: say the symbol that was written last, whatever was shown to be ignored.
#pragma once

#include <string>
#include <vector>

#include "ssm/tasks/flip_flop_stream.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// The flip-flop language (Liu et al. 2023, "Exposing attention glitches"): instructions to write,
/// read or ignore, each followed by a symbol; what follows a read is what was written last, and at
/// each read the model says it. With many ignores the written symbol is far back among distractors
/// that look like it. Everything was shown: the ceiling is 1; one symbol is enough of a state.
/// The published language has two symbols, ignores with 0.8, writes and reads with 0.1 each.
class FlipFlop final : public Task {
 public:
  int64_t symbols = 2;
  double ignore = 0.8;
  double write = 0.1;
  int64_t steps = 128;
  int64_t window = 16;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  TaskSpec Spec() const override;
  int64_t Examples(Split split, const StreamOptions& options) const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::string Describe() const override;

 private:
  FlipFlopLaw LawOf(const StreamOptions& options) const;
};

}  // namespace ssm
