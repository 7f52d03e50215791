// associative_recall: say which value belongs to a key, after many pairs of both.
#pragma once

#include <string>
#include <vector>

#include "ssm/tasks/associative_stream.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// Associative recall with one query (Ba et al. 2016; in this form Fu et al. 2023, "Hungry Hungry
/// Hippos"): pairs of a key and its value, drawn anew for each sequence and repeated within it,
/// then a marker and a key; the model says its value. Where induction asks for what followed one
/// trigger known beforehand, here it is not known until the last step which of the keys will be
/// asked for. Everything was shown: the ceiling is 1; a state that never fails holds keys
/// log2(values) bits.
///
/// StreamOptions::steps counts all steps: longer sequences have more pairs of the same keys.
class AssociativeRecall final : public Task {
 public:
  int64_t keys = 16;
  int64_t values = 16;
  int64_t steps = 64;
  int64_t window = 32;

  void VisitFields(FieldVisitor& visitor) override;
  TaskSpec Spec() const override;
  int64_t Examples(Split split, const StreamOptions& options) const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::string Describe() const override;

 private:
  AssociativeLaw LawOf(const StreamOptions& options) const;
};

}  // namespace ssm
