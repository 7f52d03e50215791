// adding: say the sum of the two numbers that were marked among many.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ssm/tasks/adding_stream.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// The adding problem (Hochreiter and Schmidhuber 1997): each step shows a number uniform in (0, 1)
/// and a mark, which is 1 at two steps and else 0; the last step asks for the sum of the marked
/// numbers. Marks stand anywhere (Bai, Kolter and Koltun 2018) or one in each half (Gu, Goel and Re
/// 2022). Who always says 1, the mean, has a squared error ("mse") of 2/12 = 1/6, the variance of
/// the sum; "nmse" is in units of it. Everything was shown: the ceiling is 0.
class Adding final : public Task {
 public:
  AddingPlaces places = AddingPlaces::kAnywhere;
  int64_t steps = 200;
  int64_t window = 32;

  void VisitFields(FieldVisitor& visitor) override;
  TaskSpec Spec() const override;
  int64_t Examples(Split split, const StreamOptions& options) const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::unique_ptr<Scorer> MakeScorer(Split split) const override;
  std::string Describe() const override;

 private:
  AddingLaw LawOf(const StreamOptions& options) const;
};

}  // namespace ssm
