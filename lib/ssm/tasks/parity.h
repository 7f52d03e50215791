// parity: say whether an odd number of ones was shown.
#pragma once

#include <string>
#include <vector>

#include "ssm/tasks/length_range.h"
#include "ssm/tasks/parity_stream.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// The parity of random bits, asked on the last step only, or with `every` on each. No window of
/// inputs tells it: a state must change sign with every one, which recurrences whose eigenvalues
/// are all in [0, 1] cannot do at any length (Grazzi et al. 2024; Sarrof et al. 2024). "accuracy"
/// is one half for who guesses; "scaled_accuracy" = 2 (accuracy - 1/2), the metric of those papers,
/// 0.
///
/// Lengths: see LengthRange.
class Parity final : public Task, public LengthRange {
 public:
  bool every = false;
  int64_t window = 8;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  TaskSpec Spec() const override;
  int64_t Examples(Split split, const StreamOptions& options) const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::unique_ptr<Scorer> MakeScorer(Split split) const override;
  std::string Describe() const override;

 private:
  ParityLaw LawOf(Split split, const StreamOptions& options) const;
};

}  // namespace ssm
