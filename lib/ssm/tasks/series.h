// series: forecast a recording.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ssm/tasks/series_stream.h"

namespace ssm {

/// The file is cut by time; training draws windows of `context` rows at random, validation and test
/// walk through theirs window after window. At every row the model says where all columns will be
/// `horizon` rows later. There is no ceiling: nobody knows the law of a recording.
///
/// dt_scale k, a whole number, takes every k-th row; `horizon` stays. Windows of validation and
/// test never overlap, whatever their length and stride: every interval takes them as clusters.
/// Load() comes first; streams borrow from the task.
class SeriesTask final : public Task {
 public:
  std::string file;
  std::vector<std::string> columns;
  std::optional<std::string> time_column;
  std::vector<std::string> angles;
  int64_t horizon = 1;
  int64_t context = 64;
  SeriesInput input = SeriesInput::kValue;
  SeriesPredict predict = SeriesPredict::kValue;
  bool use_dt = false;
  double train_fraction = 0.6;
  double validation_fraction = 0.15;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
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

 private:
  const SeriesData& data() const;
  /// Length and stride of the windows drawn under `options`. @throws Error(kBadConfig)
  SeriesWindowing WindowingOf(const StreamOptions& options) const;
  std::unique_ptr<SeriesData> data_;
  std::string digest_;
};

}  // namespace ssm
