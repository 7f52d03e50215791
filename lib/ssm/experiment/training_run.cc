#include "ssm/experiment/training_run.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <vector>

#include "ssm/base/crash_point.h"
#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/log.h"
#include "ssm/base/text.h"
#include "ssm/config/config_file.h"
#include "ssm/evaluation/evaluate.h"
#include "ssm/experiment/progress.h"
#include "ssm/training/checkpoint.h"
#include "ssm/training/early_stop.h"
#include "ssm/training/initial_values.h"
#include "ssm/training/metrics_log.h"
#include "ssm/training/trainer.h"

namespace ssm {
namespace {

bool Due(int64_t step, int64_t every) { return every > 0 && step % every == 0; }

template <Scalar T>
class TrainingRun {
 public:
  explicit TrainingRun(const TrainingSetting& setting);
  TrainOutcome Run();

 private:
  int64_t Restore();
  void LogStep(const StepReport& report);
  bool Validate();
  void Save();
  void SaveOnce();
  bool AbandonStep() const;
  bool Last() const { return trainer_.step() >= options_.steps || early_stop_.ShouldStop(); }
  std::optional<ExitCode> StopWanted() const;
  TrainOutcome Outcome(ExitCode code) const;

  const TrainingSetting& setting_;
  const ExperimentConfig& config_;
  const TrainOptions& options_;
  TaskSpec spec_;
  bool validates_;
  Workers workers_;
  std::unique_ptr<SequenceModel<T>> model_;
  Trainer<T> trainer_;
  EarlyStop early_stop_;
  CheckpointStore store_;
  std::string config_hash_;
  MetricsLog metrics_;
  AppendFile timing_;
  int64_t first_, saved_;  // steps that lay behind at the start, and that the last save holds
  TrainProgress progress_;
};

template <Scalar T>
TrainingRun<T>::TrainingRun(const TrainingSetting& setting)
    : setting_(setting),
      config_(*setting.config),
      options_(config_.train),
      spec_(config_.task->Spec()),
      validates_(options_.eval_every > 0 && config_.task->Examples(Split::kValidation, {}) != 0),
      workers_(setting.threads),
      model_(MakeModel<T>(config_)),
      trainer_(*model_, *config_.task, options_, static_cast<uint64_t>(config_.seed.data),
               workers_),
      early_stop_(options_.early_stop, spec_.higher_is_better),
      store_(setting.run->checkpoints()),
      config_hash_(ConfigHash(*setting.config)),
      metrics_(setting.run->metrics(), KeepableBytes(setting.run->metrics(), Restore())),
      timing_(setting.run->timing()),
      first_(trainer_.step()),
      saved_(first_),
      progress_(setting.progress, trainer_.step(), options_.steps) {}

/// Returns the bytes of metrics.jsonl that belong to what was restored.
template <Scalar T>
int64_t TrainingRun<T>::Restore() {
  std::vector<RefusedCheckpoint> refused;
  const auto state = store_.LoadNewest(trainer_.state(), options_.keep, refused);
  for (const RefusedCheckpoint& checkpoint : refused) {
    LogWarning(fmt::format("refused a checkpoint, now {}: {}", QuotePath(checkpoint.path),
                           checkpoint.reason));
  }
  if (!state) {
    const std::string metrics = setting_.run->metrics();
    if (Exists(metrics) && FileSize(metrics) > 0) {
      LogWarning(fmt::format("{} holds no whole checkpoint: training starts again at step 0",
                             QuotePath(setting_.run->path())));
    }
    if (options_.init_from) InitialiseFrom(*options_.init_from, trainer_.parameters());
    return 0;
  }
  trainer_.SetStep(state->step);
  early_stop_.Restore(state->early_stop);
  LogInfo(fmt::format("continuing after step {}", state->step));
  return state->metrics_bytes;
}

template <Scalar T>
void TrainingRun<T>::LogStep(const StepReport& report) {
  metrics_.Add(TrainLine(report));
  for (size_t layer = 0; layer < report.norms.size(); ++layer) {
    metrics_.Add(NormsLine(report.step, static_cast<int64_t>(layer), report.norms[layer]));
  }
}

/// True when it is the best so far.
template <Scalar T>
bool TrainingRun<T>::Validate() {
  Pass(CrashPoint::kValidate);
  const EvalSubject<T> subject{model_.get(),       trainer_.parameters().View(),
                               config_.task.get(), static_cast<uint64_t>(config_.seed.eval),
                               &workers_,          config_.eval.batch};
  const CellScore cell =
      ScoreCell(subject, {.split = Split::kValidation, .examples = options_.eval_examples});
  const double loss = cell.loss();
  const double value = OverallMetric(cell.score, "model", spec_.metric);
  const int64_t step = trainer_.step();
  metrics_.Add(ValidationLine(step, loss, spec_.metric, value, cell.key.examples));
  const bool best = early_stop_.Add(step, value, loss);
  progress_.Note(fmt::format("step {}  validation loss {}  {} {}{}", step, FormatDigits(loss, 4),
                             spec_.metric, FormatDigits(value, 4), best ? "  (best)" : ""));
  return best;
}

template <Scalar T>
void TrainingRun<T>::Save() {
  if (setting_.lease->lost()) {
    Fail(ExitCode::kIoError, "Another process has taken over " + QuotePath(setting_.run->path()) +
                                 " while this one was suspended; nothing was saved.");
  }
  metrics_.Sync();
  CheckpointState state;
  state.step = trainer_.step();
  state.examples = state.step * options_.batch * options_.accumulate;
  state.dtype = PrecisionName(config_.dtype);
  state.config_hash = config_hash_;
  state.seed_init = config_.seed.init;
  state.seed_data = config_.seed.data;
  state.seed_eval = config_.seed.eval;
  state.metrics_bytes = metrics_.size();
  state.extended_from = setting_.extended_from;
  state.early_stop = early_stop_.state();
  store_.Save(state, trainer_.state(), options_.keep);
  saved_ = state.step;
  timing_.Line(TimingLine(state.step, progress_.tokens_per_second(), progress_.seconds()));
  RunStatus status;
  status.step = state.step;
  status.extended_from = setting_.extended_from;
  setting_.run->WriteStatus(status);
}

template <Scalar T>
void TrainingRun<T>::SaveOnce() {
  if (trainer_.step() > saved_) Save();
}

/// Between the parts of a step. A limit of time lets the first step of a process pass: a run that
/// is resumed again and again gets on, however short its turns.
template <Scalar T>
bool TrainingRun<T>::AbandonStep() const {
  if (setting_.signals->requested() != StopRequest::kNone) return true;
  return trainer_.step() > first_ && StopWanted();
}

template <Scalar T>
std::optional<ExitCode> TrainingRun<T>::StopWanted() const {
  if (setting_.signals->requested() != StopRequest::kNone) return ExitCode::kStopped;
  if (std::chrono::steady_clock::now() >= setting_.stop_at) return ExitCode::kStopped;
  return std::nullopt;
}

template <Scalar T>
TrainOutcome TrainingRun<T>::Outcome(ExitCode code) const {
  TrainOutcome outcome;
  outcome.code = code;
  outcome.run = setting_.run->path();
  outcome.step = trainer_.step();
  outcome.best_step = early_stop_.state().best_step;
  outcome.best_value = early_stop_.state().best_value;
  outcome.metric = spec_.metric;
  outcome.early_stopped = early_stop_.ShouldStop();
  return outcome;
}

template <Scalar T>
TrainOutcome TrainingRun<T>::Run() {
  Pass(CrashPoint::kStart);
  const StopCheck abandon = [this] { return AbandonStep(); };
  while (!Last()) {
    const auto done = trainer_.StepUnless(abandon, Due(trainer_.step() + 1, options_.log_norms));
    if (!done) {
      SaveOnce();
      return Outcome(ExitCode::kStopped);
    }
    const StepReport& report = *done;
    LogStep(report);
    const bool end = report.step == options_.steps;
    const bool best = validates_ && (end || Due(report.step, options_.eval_every)) && Validate();
    const std::optional<ExitCode> stop = StopWanted();
    if (best || Last() || stop || Due(report.step, options_.checkpoint_every)) Save();
    progress_.Show(report);
    if (stop && !Last()) return Outcome(*stop);
  }
  return Outcome(ExitCode::kDone);
}

}  // namespace

TrainOutcome RunTraining(const TrainingSetting& setting) {
  if (setting.config->dtype == Precision::kFloat32) return TrainingRun<float>(setting).Run();
  return TrainingRun<double>(setting).Run();
}

}  // namespace ssm
