#include "ssm/experiment/run_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>

#include "ssm/base/files.h"
#include "ssm/base/log.h"
#include "ssm/base/text.h"
#include "ssm/base/workers.h"
#include "ssm/experiment/resources.h"
#include "ssm/experiment/resume.h"
#include "ssm/experiment/training_run.h"
#include "ssm/training/checkpoint.h"

namespace ssm {
namespace {

/// A run folder, its lease, and what is to be trained in it.
struct Claim {
  RunDirectory run;
  std::unique_ptr<Lease> lease;
  Experiment experiment;
  ResumeDecision decision;
  std::optional<RunStatus> status;  // of the process before
  bool fresh = true;                // its config was not there before
};

int Threads(const TrainRequest& request) {
  return request.threads > 0 ? request.threads : DefaultThreads();
}

/// Everything that can refuse an experiment before a byte is written.
void CheckBeforeStart(const ExperimentConfig& config, int threads, const std::string& folder) {
  RefuseWhatDoesNotFit(CountTraining(config, threads), folder);
}

Claim StartRun(const TrainRequest& request, const MixerRegistry& mixers,
               const TaskRegistry& tasks) {
  Experiment experiment = ReadExperiment(request.source, mixers, tasks);
  CheckBeforeStart(*experiment.config, Threads(request),
                   request.out.empty() ? request.root : request.out);
  RunDirectory run = request.out.empty()
                         ? RunDirectory::Create(request.root, experiment.config->name)
                         : RunDirectory::CreateAt(request.out);
  auto lease = std::make_unique<Lease>(run.lease());
  return {std::move(run), std::move(lease), std::move(experiment), {}, std::nullopt, true};
}

Experiment ReadResumed(const TrainRequest& request, const RunDirectory& run,
                       const MixerRegistry& mixers, const TaskRegistry& tasks) {
  if (request.source.file.empty()) {
    return ReadRunExperiment(run, request.source.overrides, mixers, tasks);
  }
  return ReadExperiment(request.source, mixers, tasks);
}

Claim ResumeRun(const TrainRequest& request, const MixerRegistry& mixers,
                const TaskRegistry& tasks) {
  if (request.out.empty()) {
    Fail(ExitCode::kUsage, "To resume, name the run: --out RUN --resume.");
  }
  if (!Exists(request.out) && !request.source.file.empty()) {
    return StartRun(request, mixers, tasks);
  }
  RunDirectory run = RunDirectory::Open(request.out);
  RequireRunOrRemains(run);
  Experiment experiment = ReadResumed(request, run, mixers, tasks);
  CheckBeforeStart(*experiment.config, Threads(request), run.path());
  auto lease = std::make_unique<Lease>(run.lease());
  RemoveTemporaries(run);
  Claim claim{std::move(run), std::move(lease), std::move(experiment), {}, std::nullopt, true};
  if (!Exists(claim.run.config())) return claim;
  claim.fresh = false;
  ExperimentConfig before(mixers, tasks);
  ReadConfig({claim.run.config(), {}}, before);
  claim.decision = JudgeResume(before, *claim.experiment.config);
  if (Exists(claim.run.status())) claim.status = claim.run.ReadStatus();
  return claim;
}

/// A finished run, asked for nothing new.
std::optional<TrainOutcome> AlreadyDone(const Claim& claim) {
  if (claim.fresh || !claim.status || claim.status->state != "finished") return std::nullopt;
  if (!claim.decision.unchanged) return std::nullopt;
  const CheckpointState state = ReadCheckpointState(FindCheckpoint(claim.run.path(), "LATEST"));
  const TrainOptions& train = claim.experiment.config->train;
  EarlyStop early_stop(train.early_stop, false);
  early_stop.Restore(state.early_stop);
  if (state.step < train.steps && !early_stop.ShouldStop()) return std::nullopt;  // new patience
  TrainOutcome outcome;
  outcome.run = claim.run.path();
  outcome.metric = claim.experiment.config->task->Spec().metric;
  outcome.early_stopped = claim.status->early_stopped;
  outcome.step = state.step;
  outcome.best_step = state.early_stop.best_step;
  outcome.best_value = state.early_stop.best_value;
  LogInfo(fmt::format("{} is finished: {} steps", claim.run.path(), outcome.step));
  return outcome;
}

/// How often the run was extended lives in its status first, then in every checkpoint.
int64_t ExtendedFrom(const Claim& claim) {
  if (claim.decision.extended_from > 0) return claim.decision.extended_from;
  return claim.status ? claim.status->extended_from : 0;
}

void WriteHead(Claim& claim, int threads, const TrainRequest& request) {
  const RunManifest now = MakeManifest(claim.experiment, threads, request.arguments);
  RunStatus status;
  status.extended_from = ExtendedFrom(claim);
  status.step = claim.status ? claim.status->step : 0;
  claim.run.WriteStatus(status);
  if (!Exists(claim.run.manifest())) {
    RunManifest manifest = now;
    AtomicWriteFile(claim.run.manifest(), WriteConfig(manifest));
  } else if (const std::string changed = ChangedSince(ReadManifest(claim.run), now);
             !changed.empty()) {
    LogWarning("this run was started with another " + changed +
               "; its numbers may differ in their last bits from an undisturbed run");
  }
  AtomicWriteFile(claim.run.config(), WriteConfig(*claim.experiment.config));
  if (claim.lease->previous()) {
    LogInfo(fmt::format("taking over from process {} on {}", claim.lease->previous()->pid,
                        claim.lease->previous()->host));
  }
}

RunStatus StatusOf(const TrainOutcome& outcome, int64_t extended_from) {
  RunStatus status;
  status.state = outcome.code == ExitCode::kDone ? "finished" : "stopped";
  status.step = outcome.step;
  status.exit_code = static_cast<int64_t>(outcome.code);
  status.early_stopped = outcome.early_stopped;
  status.extended_from = extended_from;
  return status;
}

/// Step of the newest checkpoint, 0 without one.
int64_t NewestStep(const RunDirectory& run) {
  if (!IsDirectory(run.checkpoints())) return 0;
  const std::vector<int64_t> steps = CheckpointStore(run.checkpoints()).Steps();
  return steps.empty() ? 0 : steps.back();
}

/// A status for a run that ended by an exception.
RunStatus WriteFailure(const TrainingSetting& setting, ExitCode code, const char* message) {
  RunStatus status;
  status.state = code == ExitCode::kDiverged ? "diverged" : "failed";
  status.step = NewestStep(*setting.run);
  status.exit_code = static_cast<int64_t>(code);
  status.message = message;
  status.extended_from = setting.extended_from;
  try {
    setting.run->WriteStatus(status);
  } catch (const Error& error) {
    LogWarning(error.what());  // what ended the run matters more
  }
  return status;
}

/// Trains, and leaves a status whatever happens.
TrainOutcome TrainClaimed(const TrainingSetting& setting) {
  try {
    const TrainOutcome outcome = RunTraining(setting);
    setting.run->WriteStatus(StatusOf(outcome, setting.extended_from));
    return outcome;
  } catch (const Error& error) {
    const RunStatus status = WriteFailure(setting, error.code(), error.what());
    if (error.code() != ExitCode::kDiverged) throw;
    TrainOutcome outcome;
    outcome.code = error.code();
    outcome.run = setting.run->path();
    outcome.step = status.step;
    outcome.metric = setting.config->task->Spec().metric;
    outcome.message = error.what();
    LogError(outcome.message);
    return outcome;
  } catch (const std::exception& error) {
    WriteFailure(setting, ExitCode::kInternal, error.what());
    throw;
  }
}

/// Writes into the run's log while it lives.
struct LogFile {
  explicit LogFile(const std::string& path) { LogToFile(path); }
  ~LogFile() { LogToFile(""); }
};

TrainOutcome TrainUnderGuard(const TrainRequest& request, const SignalGuard& signals,
                             const MixerRegistry& mixers, const TaskRegistry& tasks) {
  const auto start = std::chrono::steady_clock::now();
  const int threads = Threads(request);
  Claim claim =
      request.resume ? ResumeRun(request, mixers, tasks) : StartRun(request, mixers, tasks);
  if (auto done = AlreadyDone(claim)) return *done;
  const LogFile log(claim.run.log());
  WriteHead(claim, threads, request);
  LogInfo(fmt::format("training in {} on {} thread{}", claim.run.path(), threads,
                      threads == 1 ? "" : "s"));
  TrainingSetting setting;
  setting.run = &claim.run;
  setting.config = claim.experiment.config.get();
  setting.lease = claim.lease.get();
  setting.signals = &signals;
  setting.threads = threads;
  setting.progress = request.progress;
  setting.extended_from = ExtendedFrom(claim);
  if (request.max_minutes > 0) {
    setting.stop_at =
        start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                    std::chrono::duration<double>(std::min(60 * request.max_minutes, 1e9)));
  }
  return TrainClaimed(setting);
}

}  // namespace

TrainOutcome TrainExperiment(const TrainRequest& request, const MixerRegistry& mixers,
                             const TaskRegistry& tasks) {
  TrainOutcome outcome;
  bool interrupted = false;
  {
    const SignalGuard signals;
    outcome = TrainUnderGuard(request, signals, mixers, tasks);
    interrupted = signals.requested() == StopRequest::kInterrupt;
  }
  if (interrupted) DieOfInterrupt();
  return outcome;
}

}  // namespace ssm
