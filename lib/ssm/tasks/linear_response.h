// linear_response: say what a linear system answers to white noise.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ssm/systems/linear_system.h"
#include "ssm/systems/step_rule.h"
#include "ssm/systems/system_file.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// The targets are the outputs of a known system (system_file.h) from a state of 0, its inputs
/// independent and standard normal: a model has to hold what the system's state holds. Everything
/// follows from the inputs, so the ceiling is an nmse of 0, in units of each output's stationary
/// variance sum_k |K_k|^2; a model started from the same file has it before any training.
///
/// A continuous system is made discrete by `rule`, over `dt` in its own unit of time. At dt_scale k
/// its inputs are held k times as long, and errors stay in units of the trained variance, so saying
/// 0 no longer scores 1; a discrete system has no other rate. Load() comes first.
class LinearResponse final : public Task {
 public:
  std::string system;
  StepRule rule = StepRule::kZoh;
  double dt = 0;  // of a continuous system, in its unit of time
  int64_t steps = 256;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  /// @throws also Error(kBadData) for a system that is not stable or never answers,
  /// Error(kBadConfig) for a dt that is missing or not wanted.
  void Load(const std::string& directory) override;
  std::string DataDigest() const override { return digest_; }
  TaskSpec Spec() const override;
  int64_t Examples(Split split, const StreamOptions& options) const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::unique_ptr<Scorer> MakeScorer(Split split) const override;
  std::string Describe() const override;

 private:
  const SystemFile& file() const;
  /// The system at a sampling rate. @throws Error(kBadConfig)
  DiscreteSystem SystemAt(double dt_scale) const;

  std::optional<SystemFile> file_;
  std::string digest_;
  DiscreteSystem trained_;        // at dt_scale 1
  std::vector<double> variance_;  // [p] of its outputs
};

}  // namespace ssm
