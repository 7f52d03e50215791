// list_ops: say what a nested expression comes to.
#pragma once

#include <string>
#include <vector>

#include "ssm/tasks/list_ops_tree.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// ListOps (Nangia and Bowman 2018) at the lengths of the Long Range Arena (Tay et al. 2021):
/// nested lists of digits under minimum, maximum, median and sum modulo 10; at the last symbol the
/// model says the value. Everything was shown: the ceiling is 1. The defaults are the published
/// ones; "depth": 6, "arguments": 5, "min_steps": 20, "steps": 100 is a small one. Beside the
/// model: who sees the outermost operator alone and says what it makes likely, who says 0, who
/// guesses.
class ListOps final : public Task {
 public:
  int64_t depth = 10;
  int64_t arguments = 10;
  int64_t min_steps = 500;
  int64_t steps = 2000;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  TaskSpec Spec() const override;
  int64_t Examples(Split split, const StreamOptions& options) const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::string Describe() const override;

 private:
  ListOpsLaw LawOf(const StreamOptions& options) const;
};

}  // namespace ssm
