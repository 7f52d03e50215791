// The folder a run lives in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ssm/experiment/experiment_config.h"

namespace ssm {

/// What status.json says.
struct RunStatus final : Configurable {
  std::string state = "running";  // running, finished, stopped, diverged, failed
  int64_t step = 0;               // of the last checkpoint, or the last step done
  int64_t exit_code = 0;
  std::string message;
  bool early_stopped = false;
  int64_t extended_from = 0;  // train.steps before a resume raised it; 0: never
  void VisitFields(FieldVisitor& visitor) override;
};

/// What is told of a run that exists already.
inline constexpr std::string_view kTrainingRule =
    "training never overwrites a run; continue it with --resume, or name another with --out";
inline constexpr std::string_view kImportRule =
    "an import makes a run of its own; name another with --out";

/// Paths of a run; creating one never touches another.
class RunDirectory {
 public:
  /// ROOT/NAME-20261130-142501-x7k2q, by one mkdir; another suffix when that name is taken. ROOT is
  /// made if need be. Throws Error(kCannotCreate).
  static RunDirectory Create(const std::string& root, const std::string& name);
  /// Exactly `path`, which must not exist or be empty; the folders above it are made.
  /// @throws Error(kCannotCreate), which of a run that exists tells `rule`.
  static RunDirectory CreateAt(const std::string& path, std::string_view rule = kTrainingRule);
  /// One that exists. Throws Error(kMissingInput) when it is not a folder.
  static RunDirectory Open(const std::string& path);

  const std::string& path() const { return path_; }
  std::string config() const;       // config.json, resolved
  std::string manifest() const;     // manifest.json
  std::string metrics() const;      // metrics.jsonl
  std::string timing() const;       // timing.jsonl
  std::string checkpoints() const;  // checkpoints/
  std::string results() const;      // results/
  std::string status() const;       // status.json
  std::string log() const;          // log.txt
  std::string lease() const;        // lease.json

  void WriteStatus(RunStatus status) const;
  /// @throws Error(kMissingInput), Error(kBadData).
  RunStatus ReadStatus() const;

 private:
  explicit RunDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// What manifest.json says: where a run came from and what made it. Written once, at the start.
struct RunManifest final : Configurable {
  std::string version, commit, compiler, build_type, flags, arch, isa, eigen, fftw, cpu;
  std::string host, started;  // UTC, "2026-11-30T14:25:01Z"
  std::string slurm_job;
  int64_t threads = 1;
  int64_t seed_init = 0, seed_data = 0, seed_eval = 0;
  std::vector<std::string> arguments;
  std::string working_directory;
  std::string config_directory;  // where relative paths of the config start
  std::string data_sha256;       // Task::DataDigest; older manifests have none
  std::string model_sha256;      // ModelOptions::FileDigest; older manifests have none
  double flops_per_step = 0;     // TrainPlan's; 0 for what was not trained here, and older ones
  void VisitFields(FieldVisitor& visitor) override;
};

/// Of this process, now.
RunManifest MakeManifest(const Experiment& experiment, int threads,
                         const std::vector<std::string>& arguments);
/// @throws Error(kMissingInput), Error(kBadData).
RunManifest ReadManifest(const RunDirectory& run);

/// The same; nothing, with a warning that names the fault, when there is one that cannot be read.
std::optional<RunManifest> ReadableManifest(const RunDirectory& run);

/// config.json of a run, with relative paths starting where they did when it was trained.
/// `overrides` are applied on top. Without a manifest that can be read they start at the run
/// folder. Nothing the task names is opened. Throws as ReadUnloaded.
Experiment ReadRunConfig(const RunDirectory& run, const std::vector<std::string>& overrides,
                         const MixerRegistry& mixers, const TaskRegistry& tasks);

/// The same with its task and model loaded. @throws also as Task::Load, and as RequireSameData,
/// unless the overrides name another file, and as LoadRunModel.
Experiment ReadRunExperiment(const RunDirectory& run, const std::vector<std::string>& overrides,
                             const MixerRegistry& mixers, const TaskRegistry& tasks);

}  // namespace ssm
