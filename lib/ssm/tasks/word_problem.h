// word_problem: say the product of the elements of a group that were shown.
#pragma once

#include <string>
#include <vector>

#include "ssm/tasks/length_range.h"
#include "ssm/tasks/task.h"
#include "ssm/tasks/word_stream.h"

namespace ssm {

/// The word problem of a finite group: elements drawn uniformly, and the product x_1 x_2 ... x_t of
/// all so far asked for at the last step, or with `every` at each. Of A5 and S5 it is complete for
/// NC1, which no fixed number of layers with diagonal or constant transitions computes at all
/// lengths (Merrill, Petty and Sabharwal 2024; Barrington 1989); of Z2 it is parity. A state that
/// adds up contributions of elements knows no more than the coset of the commutator subgroup. Every
/// answer is as likely; everything was shown, and one element is enough of a state.
///
/// Lengths: see LengthRange.
class WordProblem final : public Task, public LengthRange {
 public:
  std::string group = "S3";
  bool every = false;
  int64_t window = 8;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  TaskSpec Spec() const override;
  int64_t Examples(Split split, const StreamOptions& options) const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::string Describe() const override;

 private:
  Group TheGroup() const;
  WordLaw LawOf(Split split, const StreamOptions& options) const;
};

}  // namespace ssm
