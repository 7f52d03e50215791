// mackey_glass: say where a chaotic series will be.
#pragma once

#include <string>
#include <vector>

#include "ssm/tasks/task.h"

namespace ssm {

/// The Mackey-Glass series with a delay of 17, sampled once a unit of time, from a random constant
/// history and after 1,000 steps that are not shown; each step asks for x `horizon` steps on. Its
/// past determines it: the ceiling is 0. nmse is in units of the variance of the series; its root
/// is the NRMSE of the literature (Voelker, Kajic and Eliasmith 2019). Steps up to 17, before which
/// no whole delay was shown, are not scored.
class MackeyGlass final : public Task {
 public:
  int64_t horizon = 15;
  int64_t steps = 1000;

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
