// dyck: say which closing bracket would fit.
#pragma once

#include <string>
#include <vector>

#include "ssm/tasks/dyck_stream.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// Nested brackets of several kinds and bounded depth, Dyck-(k, m) (Hewitt et al. 2020; Sarrof,
/// Veitsman and Hahn 2024): after every step that leaves one open the model says of which kind the
/// closing bracket is that may come next. That of the innermost one: a stack of `depth` kinds is
/// needed, and enough. Where the newest bracket was opened it is the answer; only after one that
/// closed must the past be known. Everything was shown: the ceiling is 1.
class Dyck final : public Task {
 public:
  int64_t kinds = 2;
  int64_t depth = 8;
  double open = 0.5;
  int64_t steps = 128;
  int64_t window = 16;

  void VisitFields(FieldVisitor& visitor) override;
  TaskSpec Spec() const override;
  int64_t Examples(Split split, const StreamOptions& options) const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::string Describe() const override;

 private:
  DyckLaw LawOf(const StreamOptions& options) const;
};

}  // namespace ssm
