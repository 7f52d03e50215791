#include "ssm/cli/eval_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

bool SameFolder(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::weakly_canonical(a, error) == std::filesystem::weakly_canonical(b, error);
}

}  // namespace

void RefuseOtherOverrides(const std::vector<std::string>& overrides) {
  for (const std::string& override : overrides) {
    const bool fine = override.starts_with("eval.") || override.starts_with("task.") ||
                      override.starts_with("seed.eval=");
    if (fine) continue;
    throw Error(ExitCode::kUsage,
                fmt::format("{} cannot change a finished run; eval takes overrides of eval.*, "
                            "task.* and seed.eval",
                            Quote(override)));
  }
}

void RefuseOutputs(const EvalCommand& command, const RunDirectory& run) {
  if (command.probe && !(command.samples.empty() && command.plot.empty())) {
    throw Error(ExitCode::kUsage,
                "--probe prints read-outs alone; leave --samples and --plot to an evaluation "
                "without it");
  }
  const std::string& samples = command.samples;
  if (samples.ends_with(".json") && SameFolder(ParentPath(samples), run.results())) {
    throw Error(ExitCode::kUsage,
                fmt::format("--samples {}: every .json there is a finished cell; name a file "
                            "elsewhere, or one that ends in .jsonl",
                            samples));
  }
  if (IsDirectory(samples)) {
    throw Error(ExitCode::kCannotCreate,
                fmt::format("--samples {}: it is a folder; name a file", samples));
  }
  if (Exists(command.plot) && !IsDirectory(command.plot)) {
    throw Error(ExitCode::kCannotCreate,
                fmt::format("--plot {}: it is a file; name a folder", command.plot));
  }
}

std::vector<std::string> OverridesOf(ExperimentConfig& trained, ExperimentConfig& evaluated) {
  std::vector<std::string> overrides;
  for (const ConfigDifference& difference : CompareConfigs(trained, evaluated)) {
    if (difference.role == FieldRole::kCadence || difference.after.empty()) continue;
    std::string key = difference.pointer.substr(1);
    std::replace(key.begin(), key.end(), '/', '.');
    overrides.push_back(key + "=" + difference.after);
  }
  return overrides;
}

std::string TaskOverrides(const std::vector<std::string>& overrides) {
  std::vector<std::string> of_task;
  for (const std::string& override : overrides) {
    if (override.starts_with("task.")) of_task.push_back(override);
  }
  return Join(of_task, " ");
}

}  // namespace ssm
