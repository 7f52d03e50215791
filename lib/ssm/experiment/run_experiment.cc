#include "ssm/experiment/run_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ssm/base/files.h"
#include "ssm/base/log.h"
#include "ssm/base/text.h"
#include "ssm/base/workers.h"
#include "ssm/experiment/preflight.h"
#include "ssm/experiment/resources.h"
#include "ssm/experiment/resume.h"
#include "ssm/experiment/run_data.h"
#include "ssm/experiment/run_ending.h"
#include "ssm/experiment/unseen_time.h"
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
  bool made = false;                // nor was its folder
  double flops_per_step = 0;
};

int Threads(const TrainRequest& request) {
  return request.threads > 0 ? request.threads : DefaultThreads();
}

/// What memory and disk refuse. Returns what one step costs.
double RequireRoom(const ExperimentConfig& config, const TrainRequest& request,
                   const std::string& folder) {
  const TrainPlan plan = CountTraining(config, Threads(request), request.max_memory);
  RefuseWhatDoesNotFit(plan, folder, request.max_memory);
  return plan.flops_per_step;
}

Claim StartRun(const TrainRequest& request, const MixerRegistry& mixers,
               const TaskRegistry& tasks) {
  Experiment experiment = ReadExperiment(request.source, mixers, tasks);
  const double flops_per_step =
      RequireRoom(*experiment.config, request, request.out.empty() ? request.root : request.out);
  RequireTrainable(*experiment.config);
  WarnOfUnseenTime(*experiment.config);
  RunDirectory run = request.out.empty()
                         ? RunDirectory::Create(request.root, experiment.config->name)
                         : RunDirectory::CreateAt(request.out);
  auto lease = std::make_unique<Lease>(run.lease());
  Claim claim{
      std::move(run), std::move(lease), std::move(experiment), {}, std::nullopt, true, true};
  claim.flops_per_step = flops_per_step;
  return claim;
}

/// The status of the process before; nothing, with a warning, when it cannot be read.
std::optional<RunStatus> ReadableStatus(const RunDirectory& run) {
  if (!Exists(run.status())) return std::nullopt;
  try {
    return run.ReadStatus();
  } catch (const Error& error) {
    LogWarning(fmt::format(
        "{} A new one is written; the checkpoints decide where training goes on.", error.what()));
    return std::nullopt;
  }
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
  // What a run once was may have lost its config; what has neither must not be trained in.
  const bool stored = Exists(run.config()) || IsDirectory(run.checkpoints());
  if (!stored) RequireRunOrRemains(run);
  ExperimentConfig before(mixers, tasks);
  if (stored && request.source.file.empty()) ReadStoredConfig(run, before, nullptr);
  Experiment experiment = ReadResumed(request, run, mixers, tasks);
  const double flops_per_step = RequireRoom(*experiment.config, request, run.path());
  auto lease = std::make_unique<Lease>(run.lease());
  RemoveTemporaries(run);
  Claim claim{std::move(run), std::move(lease), std::move(experiment), {}, std::nullopt, true};
  claim.flops_per_step = flops_per_step;
  claim.status = ReadableStatus(claim.run);
  if (stored && ReadStoredConfig(claim.run, before, claim.experiment.config.get())) {
    claim.fresh = false;
    claim.decision = JudgeResume(before, *claim.experiment.config);
  }
  RequireSameData(claim.run, claim.experiment);
  RequireSameModelFiles(claim.run, claim.experiment);
  return claim;
}

/// Of the checkpoint LATEST names; nothing when there is none, or it is damaged.
std::optional<CheckpointState> LatestState(const RunDirectory& run) {
  try {
    return ReadCheckpointState(FindCheckpoint(run.path(), "LATEST"));
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// What a finished run may be told: its name, how it is evaluated, what it keeps.
void KeepConfig(const Claim& claim) {
  const std::string config = WriteConfig(*claim.experiment.config);
  const std::string path = claim.run.config();
  if (!Exists(path) || ReadFile(path) != config) AtomicWriteFile(path, config);
}

/// A finished run, asked for nothing that takes training.
std::optional<TrainOutcome> AlreadyDone(const Claim& claim) {
  if (claim.fresh || !claim.status || claim.status->state != "finished") return std::nullopt;
  if (!claim.decision.unchanged) return std::nullopt;
  const std::optional<CheckpointState> latest = LatestState(claim.run);
  if (!latest) return std::nullopt;  // damaged since: what is lost is trained again
  const CheckpointState& state = *latest;
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
  KeepConfig(claim);
  LogInfo(fmt::format("{} is finished: {} steps", claim.run.path(), outcome.step));
  return outcome;
}

/// How often the run was extended lives in its status first, then in every checkpoint.
int64_t ExtendedFrom(const Claim& claim) {
  if (claim.decision.extended_from > 0) return claim.decision.extended_from;
  if (claim.status) return claim.status->extended_from;
  const std::optional<CheckpointState> latest = LatestState(claim.run);
  return latest ? latest->extended_from : 0;
}

/// The manifest of the start stays; one that cannot be read is set aside.
void KeepManifest(const RunDirectory& run, RunManifest now) {
  if (const std::optional<RunManifest> then = ReadableManifest(run)) {
    const std::string changed = ChangedSince(*then, now);
    if (changed.empty()) return;
    LogWarning("this run was started with another " + changed +
               "; its numbers may differ in their last bits from an undisturbed run");
    return;
  }
  if (Exists(run.manifest())) RenameDurably(run.manifest(), run.manifest() + ".refused");
  AtomicWriteFile(run.manifest(), WriteConfig(now));
}

void WriteHead(Claim& claim, int threads, const TrainRequest& request) {
  RunManifest now = MakeManifest(claim.experiment, threads, request.arguments);
  now.flops_per_step = claim.flops_per_step;
  RunStatus status;
  status.extended_from = ExtendedFrom(claim);
  status.step = claim.status ? claim.status->step : 0;
  claim.run.WriteStatus(status);
  KeepManifest(claim.run, now);
  AtomicWriteFile(claim.run.config(), WriteConfig(*claim.experiment.config));
  if (claim.lease->previous()) {
    LogInfo(fmt::format("taking over from process {} on {}", claim.lease->previous()->pid,
                        claim.lease->previous()->host));
  }
}

/// Writes into the run's log while it lives.
struct LogFile {
  explicit LogFile(const std::string& path) { LogToFile(path); }
  ~LogFile() { LogToFile(""); }
};

TrainOutcome TrainClaimed(Claim& claim, const TrainRequest& request, const SignalGuard& signals,
                          std::chrono::steady_clock::time_point stop_at) {
  const LogFile log(claim.run.log());
  const int threads = Threads(request);
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
  setting.stop_at = stop_at;
  return TrainToAnEnd(setting);
}

/// Whether a run holds nothing that a step has left.
bool Untrained(const RunDirectory& run) {
  return !Exists(run.metrics()) || FileSize(run.metrics()) == 0;
}

TrainOutcome TrainUnderGuard(const TrainRequest& request, const SignalGuard& signals,
                             const MixerRegistry& mixers, const TaskRegistry& tasks) {
  auto stop_at = std::chrono::steady_clock::time_point::max();
  if (request.max_minutes > 0) {
    stop_at = std::chrono::steady_clock::now() +
              std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                  std::chrono::duration<double>(std::min(60 * request.max_minutes, 1e9)));
  }
  Claim claim =
      request.resume ? ResumeRun(request, mixers, tasks) : StartRun(request, mixers, tasks);
  if (auto done = AlreadyDone(claim)) {
    done->interrupted = signals.requested() == StopRequest::kInterrupt;
    return *done;
  }
  try {
    return TrainClaimed(claim, request, signals, stop_at);
  } catch (const Error& error) {
    // The corrected command may then name the same folder.
    if (claim.made && error.code() != ExitCode::kInternal && Untrained(claim.run)) {
      claim.lease.reset();
      RemoveTree(claim.run.path());
    }
    throw;
  }
}

}  // namespace

TrainOutcome TrainExperiment(const TrainRequest& request, const MixerRegistry& mixers,
                             const TaskRegistry& tasks) {
  TrainOutcome outcome;
  {
    const SignalGuard signals;
    outcome = TrainUnderGuard(request, signals, mixers, tasks);
  }
  if (outcome.interrupted) DieOfInterrupt();
  return outcome;
}

}  // namespace ssm
