// recorded_response: say what a recorded system answers to its inputs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ssm/tasks/recorded_data.h"
#include "ssm/tasks/task.h"

namespace ssm {

enum class RecordedScale { kNone, kDeviation };

/// The inputs of a recorded system are shown, and at every row the model says its outputs at that
/// row: simulation, from inputs up to and with the row. A window begins in the middle of the
/// record, in a state nobody knows, so its first `warm_up` rows are shown and not scored.
///
/// Signals stay in the file's units, measured from their means over the training part as `ssmctl
/// identify` measures them, so that a system it found fits as it is; where it estimated an offset
/// (method pem), give that one. Training draws windows of `context` rows at random; validation and
/// test walk through theirs, window after window, without overlap. nmse is in units of the variance
/// of the outputs over the part: a fit of 100 (1 - sqrt(nmse)) percent. There is no ceiling.
///
/// A recording has one sampling rate. Load() comes first; streams borrow from the task.
class RecordedResponse final : public Task {
 public:
  std::string file;
  std::vector<std::string> inputs, outputs;
  std::optional<std::string> test_file;
  double train_fraction = 0.6;
  double validation_fraction = 0.15;
  int64_t context = 256;
  int64_t warm_up = 64;
  Offsets offsets = Offsets::kMean;
  std::vector<double> input_offsets, output_offsets;
  RecordedScale scale = RecordedScale::kNone;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  /// @throws as ReadRecorded.
  void Load(const std::string& directory) override;
  std::string DataDigest() const override { return digest_; }
  TaskSpec Spec() const override;
  int64_t Examples(Split split, const StreamOptions& options) const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  /// Nothing: what is known of a recording is measured on it.
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::unique_ptr<Scorer> MakeScorer(Split split) const override;
  std::string Describe() const override;

  /// What Load read.
  const RecordedData& data() const;

 private:
  /// Rows of the windows drawn under `options`. @throws Error(kBadConfig)
  int64_t StepsOf(const StreamOptions& options) const;

  std::unique_ptr<RecordedData> data_;
  std::string digest_;
};

}  // namespace ssm
