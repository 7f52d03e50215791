#include "ssm/cli/eval_request.h"

#include <fmt/format.h>

#include <filesystem>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"

namespace ssm {
namespace {

bool SameFolder(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::weakly_canonical(a, error) == std::filesystem::weakly_canonical(b, error);
}

}  // namespace

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

}  // namespace ssm
