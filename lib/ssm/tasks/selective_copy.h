// selective_copy: say again, in order, the symbols that were scattered among blanks.
#pragma once

#include <string>
#include <vector>

#include "ssm/tasks/copy_stream.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// Selective copying (Gu and Dao 2023, section 4.1.1; Jing et al. 2019): `tokens` symbols at random
/// places among `noise` blanks, then `tokens` markers, at each of which the next symbol is to be
/// said. What is to be kept depends on what is shown and not on when, so no fixed delay will do.
/// Everything was shown: the ceiling is 1; a state that never fails holds tokens log2(symbols)
/// bits.
///
/// StreamOptions::steps counts all steps: longer sequences have more blanks.
class SelectiveCopy final : public Task {
 public:
  int64_t symbols = 16;
  int64_t tokens = 4;
  int64_t noise = 32;

  void VisitFields(FieldVisitor& visitor) override;
  TaskSpec Spec() const override;
  int64_t Examples(Split split, const StreamOptions& options) const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::string Describe() const override;

 private:
  CopyLaw LawOf(const StreamOptions& options) const;
};

}  // namespace ssm
