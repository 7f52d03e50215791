#include "ssm/experiment/run_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ssm/base/build_info.h"
#include "ssm/base/files.h"
#include "ssm/base/log.h"
#include "ssm/base/sha256.h"
#include "ssm/base/text.h"
#include "ssm/base/workers.h"
#include "ssm/experiment/checkpoint_choice.h"
#include "ssm/experiment/eval_progress.h"
#include "ssm/experiment/model_name.h"
#include "ssm/experiment/run_directory.h"
#include "ssm/experiment/unseen_time.h"
#include "ssm/training/initial_values.h"

namespace ssm {
namespace {

/// What an evaluation changes of the task and the seed a run was trained with: "task.noise=2".
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

/// Those of `overrides` that change the task, a blank between.
std::string TaskOverrides(const std::vector<std::string>& overrides) {
  std::vector<std::string> of_task;
  for (const std::string& override : overrides) {
    if (override.starts_with("task.")) of_task.push_back(override);
  }
  return Join(of_task, " ");
}

/// A run's model with a checkpoint's parameters.
template <Scalar T>
class TrainedModel {
 public:
  TrainedModel(const EvalRequest& request, const RunDirectory& run, RunEvaluation& evaluation)
      : request_(request),
        run_(run),
        evaluation_(evaluation),
        model_(MakeModel<T>(config())),
        parameters_(model_->parameters()),
        workers_(request.threads > 0 ? request.threads : DefaultThreads()) {
    evaluation_.params = model_->parameters().count();
    const std::string checkpoint = ChosenCheckpoint(run_, request.checkpoint);
    ResultOrigin& origin = evaluation_.origin;
    origin.step = ReadUnder(origin.overrides, checkpoint).step;
    const std::optional<RunManifest> manifest = ReadableManifest(run_);
    if (manifest) evaluation_.flops = manifest->flops_per_step * static_cast<double>(origin.step);
    parameters_.Touch();
    origin.config_hash = ConfigHash(*evaluation_.experiment.config);
    origin.checkpoint = BaseName(checkpoint);
    origin.checkpoint_sha256 = Sha256(ReadFile(JoinPath(checkpoint, "SHA256SUMS")));
    origin.seed = config().seed.eval;
    origin.dtype = PrecisionName(config().dtype);
    origin.version = GetBuildInfo().version;
    origin.data_sha256 = config().task->DataDigest();
  }

  void ScoreCells() {
    WarnOfUnseenTime(config(), config().eval.dt_scale);
    MakeDirectories(run_.results());
    for (const CellKey& asked : CellsOf(config().eval)) {
      const CellKey key = ResolveCell(asked, *config().task);
      const std::string path = JoinPath(run_.results(), ResultsFileName(key, evaluation_.origin));
      std::optional<ResultsFile> finished;
      if (!request_.scored) finished = FindFinished(path, evaluation_.origin, key);
      if (finished) LogInfo(fmt::format("{} is finished already", path));
      evaluation_.cells.push_back(finished ? std::move(finished->cell) : Compute(key, path));
    }
  }

  void ProbeCells() {
    WarnOfUnseenTime(config(), config().eval.dt_scale);
    for (const CellKey& asked : CellsOf(config().eval)) {
      const CellKey key = ResolveCell(asked, *config().task);
      evaluation_.probes.emplace_back(key, ProbeState(Subject(), key));
    }
  }

 private:
  const ExperimentConfig& config() const { return *evaluation_.experiment.config; }

  /// A whole checkpoint fits its own task; one that does not was given another by `overrides`.
  CheckpointState ReadUnder(const std::vector<std::string>& overrides,
                            const std::string& checkpoint) {
    try {
      return ReadValues<T>(run_.path(), checkpoint, parameters_);
    } catch (const Error& error) {
      const std::string changes = TaskOverrides(overrides);
      if (changes.empty() || !IsWhole(checkpoint)) throw;
      throw Error(
          ExitCode::kBadConfig,
          fmt::format("{} changes what the model reads or answers, and the parameters of {} "
                      "are for the task it was trained on; evaluate it without",
                      changes, run_.path()));
    }
  }

  EvalSubject<T> Subject() {
    return {.model = model_.get(),
            .params = parameters_.View(),
            .task = config().task.get(),
            .seed = static_cast<uint64_t>(config().seed.eval),
            .workers = &workers_,
            .batch = config().eval.batch};
  }

  CellResult Compute(const CellKey& key, const std::string& path) {
    RequireWritable(ParentPath(path));
    const CellScore score = ScoreWatched(Subject(), key);
    const StreamOptions streams{.steps = key.length, .dt_scale = key.dt_scale};
    ResultsFile results{
        .name = config().name,
        .task = config().task.type(),
        .model = ModelName(config().model),
        .params = evaluation_.params,
        .flops = evaluation_.flops,
        .origin = evaluation_.origin,
        .cell = Summarise(score, config().task->Spec(), config().task->Known(key.split, streams)),
        .sums = MetricSums(score, config().task->Spec())};
    WriteResultsFile(path, results);
    LogInfo(fmt::format("{} is written", path));
    if (request_.scored) request_.scored(score);
    return std::move(results.cell);
  }

  const EvalRequest& request_;
  const RunDirectory& run_;
  RunEvaluation& evaluation_;
  std::unique_ptr<SequenceModel<T>> model_;
  Parameters<T> parameters_;
  Workers workers_;
};

/// Opens a run and does `work(model)` with its model, in its own precision.
template <class Work>
RunEvaluation WithModel(const EvalRequest& request, const MixerRegistry& mixers,
                        const TaskRegistry& tasks, const Work& work) {
  RefuseOtherOverrides(request.overrides);
  const RunDirectory run = RunDirectory::Open(request.run);
  const Experiment trained = ReadRunConfig(run, {}, mixers, tasks);
  RunEvaluation evaluation;
  evaluation.run = run.path();
  evaluation.experiment = ReadRunExperiment(run, request.overrides, mixers, tasks);
  evaluation.origin.overrides = OverridesOf(*trained.config, *evaluation.experiment.config);
  if (evaluation.experiment.config->dtype == Precision::kFloat64) {
    TrainedModel<double> model(request, run, evaluation);
    work(model);
  } else {
    TrainedModel<float> model(request, run, evaluation);
    work(model);
  }
  return evaluation;
}

}  // namespace

int64_t RunEvaluation::LargestState() const {
  int64_t bytes = 0;
  for (const CellResult& cell : cells) bytes = std::max(bytes, cell.state_bytes_live);
  return bytes;
}

RunEvaluation EvaluateRun(const EvalRequest& request, const MixerRegistry& mixers,
                          const TaskRegistry& tasks) {
  return WithModel(request, mixers, tasks, [](auto& model) { model.ScoreCells(); });
}

RunEvaluation ProbeRun(const EvalRequest& request, const MixerRegistry& mixers,
                       const TaskRegistry& tasks) {
  return WithModel(request, mixers, tasks, [](auto& model) { model.ProbeCells(); });
}

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

}  // namespace ssm
