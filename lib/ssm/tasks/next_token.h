// next_token: say which id comes next in a stream of ids.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ssm/tasks/task.h"

namespace ssm {

/// Ids [T] of a .npy file are shown one after another, and after each the model says what comes
/// next: logits over the vocabulary, scored by cross-entropy and accuracy. The stream is cut by
/// time into training, validation and test. Training draws windows of `context` ids at random;
/// validation and test walk through theirs, window after window; each window begins without a past.
///
/// Without a file nothing flows: a published model that was imported states its ids and answers by
/// this task, and is applied, inspected and exported. What needs sequences then says so.
class NextToken final : public Task {
 public:
  int64_t vocabulary = 256;
  std::string file;
  double train_fraction = 0.8;
  double validation_fraction = 0.1;
  int64_t context = 256;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  /// @throws Error(kBadData) for what is no [T] of ids below the vocabulary, Error(kBadConfig) for
  /// a training part shorter than a window, Error(kMissingInput).
  void Load(const std::string& directory) override;
  std::string DataDigest() const override { return digest_; }
  TaskSpec Spec() const override;
  /// @throws Error(kBadConfig) without a file, as Open.
  int64_t Examples(Split split, const StreamOptions& options) const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  /// Nothing: the law of a text is not known.
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::string Describe() const override;

 private:
  struct Part {
    int64_t begin = 0, size = 0;
  };
  Part PartOf(Split split) const;
  int64_t StepsOf(const StreamOptions& options) const;
  void RequireFile() const;

  IntArray ids_;
  std::string digest_;
};

}  // namespace ssm
