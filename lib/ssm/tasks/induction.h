// induction: say which symbol followed the trigger when it stood there before.
#pragma once

#include <string>
#include <vector>

#include "ssm/tasks/task.h"

namespace ssm {

/// Induction heads (Olsson et al. 2022) as a synthetic task (Gu and Dao 2023, section 4.1.2):
/// random symbols, among them once the trigger and, right after it, the symbol to remember; the
/// last step shows the trigger again and is the only one that is scored. The first trigger stands
/// anywhere in steps 0 to L - 4, so neither its place nor the distance can be learned by heart.
/// Everything was shown: the ceiling is 1.
///
/// Sequences of any length are drawn in constant memory.
class Induction final : public Task {
 public:
  int64_t symbols = 16;
  int64_t steps = 256;
  int64_t window = 32;

  void VisitFields(FieldVisitor& visitor) override;
  TaskSpec Spec() const override;
  int64_t Examples(Split split, const StreamOptions& options) const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::string Describe() const override;

 private:
  int64_t StepsOf(const StreamOptions& options) const;
};

}  // namespace ssm
