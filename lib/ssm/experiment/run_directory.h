// The folder a run lives in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ssm/experiment/experiment_config.h"

namespace ssm {

/// What status.json says.
struct RunStatus {
  std::string state = "running";  // running, finished, stopped, diverged, failed
  int64_t step = 0;               // of the last checkpoint or the last step done
  int exit_code = 0;
  std::string message;
  bool early_stopped = false;
};

/// Paths of a run; creating one never touches another.
class RunDirectory {
 public:
  /// ROOT/NAME-20261130-142501-x7k2q, by one mkdir; another suffix when that name is taken. ROOT is
  /// made if need be. Throws Error(kCannotCreate).
  static RunDirectory Create(const std::string& root, const std::string& name);
  /// Exactly `path`, which must not exist; the folders above it are made.
  /// @throws Error(kCannotCreate).
  static RunDirectory CreateAt(const std::string& path);
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

  void WriteStatus(const RunStatus& status) const;
  /// @throws Error(kMissingInput), Error(kBadData).
  RunStatus ReadStatus() const;

 private:
  explicit RunDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// config.json of a run, with relative paths starting where they did when it was trained.
/// `overrides` are applied on top. Throws as ReadExperiment.
Experiment ReadRunExperiment(const RunDirectory& run, const std::vector<std::string>& overrides,
                             const MixerRegistry& mixers, const TaskRegistry& tasks);

}  // namespace ssm
