#include "ssm/experiment/checkpoint_choice.h"

#include <fmt/format.h>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/training/initial_values.h"

namespace ssm {

std::string ChosenCheckpoint(const RunDirectory& run, const std::string& choice) {
  if (choice == "best") return FindValues(run.path(), "BEST");
  if (choice == "latest") return FindValues(run.path(), "LATEST");
  const std::optional<int64_t> step = ParseInteger(choice);
  if (!step) {
    throw Error(ExitCode::kUsage,
                fmt::format("--checkpoint takes best, latest or a step, not {}", Quote(choice)));
  }
  const std::string path = JoinPath(run.checkpoints(), fmt::format("step-{:08}", *step));
  if (!IsDirectory(path)) {
    throw Error(ExitCode::kMissingInput,
                fmt::format("{}: the run has no checkpoint of step {}", run.path(), *step));
  }
  return path;
}

}  // namespace ssm
