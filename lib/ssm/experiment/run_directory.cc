#include "ssm/experiment/run_directory.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <cstdint>
#include <ctime>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/log.h"
#include "ssm/base/text.h"
#include "ssm/config/config_file.h"
#include "ssm/experiment/run_data.h"

namespace ssm {
namespace {

constexpr int64_t kLargestText = int64_t{1} << 24;

/// Five letters of the operating system's randomness: runs started in one second differ.
std::string RandomSuffix() {
  constexpr std::string_view kLetters = "abcdefghijkmnpqrstuvwxyz23456789";
  uint64_t bits = 0;
  if (getrandom(&bits, sizeof(bits), 0) != sizeof(bits)) {
    Fail(ExitCode::kUnavailable, "The system gives no random bytes (getrandom).");
  }
  std::string suffix;
  for (int i = 0; i < 5; ++i, bits >>= 5) suffix += kLetters[bits & 31];
  return suffix;
}

std::string LocalStamp() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y%m%d-%H%M%S", &parts);
  return text;
}

/// Strict reading of a small file this program wrote; faults are bad data, not bad config.
void ReadOwn(const std::string& path, Configurable& into) {
  const std::string text = ReadFile(path, kLargestText);
  try {
    ReadConfigText(text, path, {}, into);
  } catch (const Error& error) {
    Fail(ExitCode::kBadData, error.what());
  }
}

}  // namespace

void RunStatus::VisitFields(FieldVisitor& visitor) {
  visitor.Text("state", state, "running, finished, stopped, diverged, failed");
  visitor.Int("step", step, {.min = 0}, "optimiser steps done");
  visitor.Int("exit_code", exit_code, {0, 255}, "what the process ended with");
  visitor.Text("message", message, "why it ended");
  visitor.Bool("early_stopped", early_stopped, "validation no longer improved");
  visitor.Int("extended_from", extended_from, {.min = 0},
              "train.steps before a resume raised it; 0: never");
}

RunDirectory RunDirectory::Create(const std::string& root, const std::string& name) {
  constexpr int kTries = 100;
  MakeDirectories(root);
  for (int i = 0; i < kTries; ++i) {
    const std::string path =
        JoinPath(root, fmt::format("{}-{}-{}", name, LocalStamp(), RandomSuffix()));
    if (TryMakeDirectory(path)) return RunDirectory(path);
  }
  Fail(ExitCode::kCannotCreate, "Cannot find a free name for a run under " + QuotePath(root) + ".");
}

RunDirectory RunDirectory::CreateAt(const std::string& path, std::string_view rule) {
  MakeDirectories(ParentPath(path));
  if (Exists(path) && !IsDirectory(path)) {
    Fail(ExitCode::kCannotCreate,
         QuotePath(path) + " is a file, and a run is a folder; name another with --out.");
  }
  if (!TryMakeDirectory(path) && !(IsDirectory(path) && ListDirectory(path).empty())) {
    const RunDirectory other(path);
    if (!Exists(other.config()) && !Exists(other.status()) && !Exists(other.lease())) {
      Fail(ExitCode::kCannotCreate, QuotePath(path) +
                                        " is a folder of other things, and no run; name one that "
                                        "is empty, or does not exist, with --out.");
    }
    Fail(ExitCode::kCannotCreate, fmt::format("{} exists, and {}.", QuotePath(path), rule));
  }
  return RunDirectory(path);
}

RunDirectory RunDirectory::Open(const std::string& path) {
  if (!IsDirectory(path)) Fail(ExitCode::kMissingInput, "There is no run " + QuotePath(path) + ".");
  return RunDirectory(path);
}

std::string RunDirectory::config() const { return JoinPath(path_, "config.json"); }
std::string RunDirectory::manifest() const { return JoinPath(path_, "manifest.json"); }
std::string RunDirectory::metrics() const { return JoinPath(path_, "metrics.jsonl"); }
std::string RunDirectory::timing() const { return JoinPath(path_, "timing.jsonl"); }
std::string RunDirectory::checkpoints() const { return JoinPath(path_, "checkpoints"); }
std::string RunDirectory::results() const { return JoinPath(path_, "results"); }
std::string RunDirectory::status() const { return JoinPath(path_, "status.json"); }
std::string RunDirectory::log() const { return JoinPath(path_, "log.txt"); }
std::string RunDirectory::lease() const { return JoinPath(path_, "lease.json"); }

void RunDirectory::WriteStatus(RunStatus status) const {
  AtomicWriteFile(this->status(), WriteConfig(status));
}

RunStatus RunDirectory::ReadStatus() const {
  RunStatus result;
  ReadOwn(status(), result);
  return result;
}

RunManifest ReadManifest(const RunDirectory& run) {
  RunManifest manifest;
  ReadOwn(run.manifest(), manifest);
  return manifest;
}

std::optional<RunManifest> ReadableManifest(const RunDirectory& run) {
  if (!Exists(run.manifest())) return std::nullopt;
  try {
    return ReadManifest(run);
  } catch (const Error& error) {
    LogWarning(fmt::format("{} It is done without: relative paths of the config start at the run.",
                           error.what()));
    return std::nullopt;
  }
}

namespace {

void RequireConfig(const RunDirectory& run) {
  if (Exists(run.config())) return;
  const std::string way = " Its checkpoints stand: \"ssmctl train CONFIG --resume --out " +
                          PathArgument(run.path()) + "\" with the config it was trained with " +
                          "writes it again.";
  Fail(ExitCode::kMissingInput, QuotePath(run.path()) + " is no run: it has no config.json." +
                                    (IsDirectory(run.checkpoints()) ? way : ""));
}

}  // namespace

Experiment ReadRunConfig(const RunDirectory& run, const std::vector<std::string>& overrides,
                         const MixerRegistry& mixers, const TaskRegistry& tasks) {
  RequireConfig(run);
  const std::optional<RunManifest> manifest = ReadableManifest(run);
  const std::string directory = manifest ? manifest->config_directory : run.path();
  return ReadUnloaded({run.config(), overrides}, mixers, tasks, directory);
}

Experiment ReadRunExperiment(const RunDirectory& run, const std::vector<std::string>& overrides,
                             const MixerRegistry& mixers, const TaskRegistry& tasks) {
  Experiment experiment = ReadRunConfig(run, overrides, mixers, tasks);
  ExperimentConfig trained(mixers, tasks);
  ReadConfig({run.config(), {}}, trained);
  if (DataFieldOf(trained).file == DataFieldOf(*experiment.config).file) {
    LoadRunData(run, experiment);
  } else {
    experiment.config->task->Load(experiment.directory);
  }
  LoadRunModel(run, experiment);
  return experiment;
}

}  // namespace ssm
