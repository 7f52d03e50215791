// metrics.jsonl: what a run measured, and nothing that depends on the clock or the host.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ssm/base/files.h"
#include "ssm/training/trainer.h"

namespace ssm {

/// {"step":200,"split":"train","loss":0.31,"grad_norm":0.9,"lr":0.003}, and behind it what the
/// step's passes counted: "nothing_read":12,"reads":4096.
std::string TrainLine(const StepReport& report);
/// {"step":200,"split":"train","layer":0,"activation_norm":1.2,"gradient_norm":0.01}
std::string NormsLine(int64_t step, int64_t layer, const LayerNorms& norms);
/// {"step":200,"split":"validation","loss":0.29,"accuracy":0.91,"examples":256}
std::string ValidationLine(int64_t step, double loss, std::string_view metric, double value,
                           int64_t examples);
/// {"step":200,"tokens_per_second":1.2e6,"seconds":12.5}: one line of timing.jsonl.
std::string TimingLine(int64_t step, double tokens_per_second, double seconds);

/// The number as JSON: shortest text that reads back; "null" where it is not finite.
std::string JsonNumber(double value);

/// How much of metrics.jsonl a run goes on from that had `wanted` bytes: all of them, or, with a
/// warning, the whole lines that are left of a file that lost its end or is gone. What is trained
/// does not depend on it.
int64_t KeepableBytes(const std::string& path, int64_t wanted);

/// Appends lines to metrics.jsonl, passing the crash point "metrics_append" in the middle of each.
class MetricsLog {
 public:
  /// Cuts the file back to `keep` bytes. Throws Error(kBadData) when it is shorter.
  MetricsLog(const std::string& path, int64_t keep);
  void Add(std::string_view line);
  /// Durable from here on; call before a checkpoint that stores size().
  void Sync();
  int64_t size() const;

 private:
  AppendFile file_;
};

}  // namespace ssm
