// narma10: say what a nonlinear recursion with a memory of ten steps comes to.
#pragma once

#include <string>
#include <vector>

#include "ssm/tasks/task.h"

namespace ssm {

/// The benchmark NARMA-10 (Atiya and Parlos 2000; `NarmaSeries`) driven by u uniform in (0, 0.5):
/// each step shows u_t and asks for y_{t+1}. Everything was shown: the ceiling is 0. nmse is in
/// units of the variance of y. The first 50 steps, in which y leaves its start, are not scored.
class Narma10 final : public Task {
 public:
  int64_t steps = 500;

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
  int64_t StepsOf(const StreamOptions& options) const;
};

}  // namespace ssm
