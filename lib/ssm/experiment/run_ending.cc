#include "ssm/experiment/run_ending.h"

#include <fmt/format.h>

#include <csignal>
#include <exception>

#include "ssm/base/files.h"
#include "ssm/base/log.h"
#include "ssm/base/text.h"
#include "ssm/training/checkpoint.h"

namespace ssm {
namespace {

/// What a shell says of a process that SIGINT ended.
constexpr int64_t kInterruptedCode = 128 + SIGINT;

/// Step of the newest checkpoint, 0 without one.
int64_t NewestStep(const RunDirectory& run) {
  if (!IsDirectory(run.checkpoints())) return 0;
  const std::vector<int64_t> steps = CheckpointStore(run.checkpoints()).Steps();
  return steps.empty() ? 0 : steps.back();
}

RunStatus StatusOf(const TrainOutcome& outcome, int64_t extended_from) {
  RunStatus status;
  status.state = outcome.code == ExitCode::kDone      ? "finished"
                 : outcome.code == ExitCode::kStopped ? "stopped"
                                                      : "diverged";
  status.step = outcome.step;
  status.exit_code = outcome.interrupted ? kInterruptedCode : static_cast<int64_t>(outcome.code);
  status.message = outcome.message;
  status.early_stopped = outcome.early_stopped;
  status.extended_from = extended_from;
  return status;
}

/// A status for a run that ended by an exception.
void WriteFailure(const TrainingSetting& setting, ExitCode code, const char* message) {
  RunStatus status;
  status.state = "failed";
  status.step = NewestStep(*setting.run);
  status.exit_code = static_cast<int64_t>(code);
  status.message = message;
  status.extended_from = setting.extended_from;
  try {
    setting.run->WriteStatus(status);
  } catch (const Error& error) {
    LogWarning(error.what());  // what ended the run matters more
  }
}

TrainOutcome DivergedOutcome(const TrainingSetting& setting, const Error& error) {
  TrainOutcome outcome;
  outcome.code = error.code();
  outcome.run = setting.run->path();
  outcome.step = NewestStep(*setting.run);
  outcome.metric = setting.config->task->Spec().metric;
  outcome.message = error.what();
  LogError(outcome.message);
  return outcome;
}

TrainOutcome Train(const TrainingSetting& setting) {
  try {
    return RunTraining(setting);
  } catch (const Error& error) {
    if (error.code() == ExitCode::kDiverged) return DivergedOutcome(setting, error);
    WriteFailure(setting, error.code(), error.what());
    if (const int64_t step = NewestStep(*setting.run); step > 0) {
      LogWarning(fmt::format("step {} is saved; once that is mended, go on with: {}", step,
                             ResumeCommand(setting.run->path())));
    }
    throw;
  } catch (const std::bad_alloc&) {
    WriteFailure(setting, ExitCode::kRefused, "out of memory");
    throw;
  } catch (const std::exception& error) {
    WriteFailure(setting, ExitCode::kInternal, error.what());
    throw;
  }
}

}  // namespace

std::string ResumeCommand(const std::string& run) {
  return "ssmctl train --resume --out " + PathArgument(run);
}

TrainOutcome TrainToAnEnd(const TrainingSetting& setting) {
  TrainOutcome outcome = Train(setting);
  // Asked once: the status must say what the process ends with.
  outcome.interrupted = setting.signals->requested() == StopRequest::kInterrupt;
  setting.run->WriteStatus(StatusOf(outcome, setting.extended_from));
  if (outcome.code == ExitCode::kStopped) {
    const std::string line = fmt::format("stopped after step {}; go on with: {}", outcome.step,
                                         ResumeCommand(outcome.run));
    // Whoever interrupts gets no result on stdout.
    outcome.interrupted ? LogWarning(line) : LogInfo(line);
  }
  return outcome;
}

}  // namespace ssm
