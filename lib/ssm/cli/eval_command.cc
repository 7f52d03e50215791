#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ssm/base/build_info.h"
#include "ssm/base/files.h"
#include "ssm/base/log.h"
#include "ssm/base/sha256.h"
#include "ssm/base/text.h"
#include "ssm/base/workers.h"
#include "ssm/cli/cell_text.h"
#include "ssm/cli/checkpoint_choice.h"
#include "ssm/cli/commands.h"
#include "ssm/cli/eval_report.h"
#include "ssm/cli/eval_request.h"
#include "ssm/cli/help.h"
#include "ssm/cli/interrupt_notice.h"
#include "ssm/cli/model_name.h"
#include "ssm/cli/probe_report.h"
#include "ssm/evaluation/cell_json.h"
#include "ssm/evaluation/results_file.h"
#include "ssm/evaluation/samples_file.h"
#include "ssm/experiment/eval_progress.h"
#include "ssm/experiment/run_directory.h"
#include "ssm/experiment/unseen_time.h"
#include "ssm/plot/svg.h"
#include "ssm/training/initial_values.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

/// One run, its best checkpoint, and the cells asked for.
template <Scalar T>
class RunEvaluation {
 public:
  RunEvaluation(const EvalCommand& command, const CommandContext& context, RunDirectory run,
                Experiment experiment, std::vector<std::string> overrides)
      : command_(command),
        run_(std::move(run)),
        experiment_(std::move(experiment)),
        model_(MakeModel<T>(config())),
        parameters_(model_->parameters()),
        workers_(context.threads > 0 ? context.threads : DefaultThreads()) {
    const std::string checkpoint = ChosenCheckpoint(run_, command.checkpoint);
    const CheckpointState state = ReadUnder(overrides, checkpoint);
    parameters_.Touch();
    origin_ = {.config_hash = ConfigHash(*experiment_.config),
               .overrides = std::move(overrides),
               .checkpoint = BaseName(checkpoint),
               .checkpoint_sha256 = Sha256(ReadFile(JoinPath(checkpoint, "SHA256SUMS"))),
               .step = state.step,
               .seed = config().seed.eval,
               .dtype = PrecisionName(config().dtype),
               .version = GetBuildInfo().version,
               .data_sha256 = config().task->DataDigest()};
  }

  void Probe() {
    WarnOfUnseenTime(config(), config().eval.dt_scale);
    const InterruptNotice notice;
    for (const CellKey& asked : CellsOf(config().eval)) {
      const CellKey key = ResolveCell(asked, *config().task);
      probes_.emplace_back(key, ProbeState(Subject(), key));
    }
  }

  void Run() {
    WarnOfUnseenTime(config(), config().eval.dt_scale);
    const InterruptNotice notice;
    MakeDirectories(run_.results());
    for (const CellKey& asked : CellsOf(config().eval)) {
      const CellKey key = ResolveCell(asked, *config().task);
      const std::string path = JoinPath(run_.results(), ResultsFileName(key, origin_));
      std::optional<ResultsFile> finished;
      if (command_.samples.empty()) finished = FindFinished(path, origin_, key);
      if (finished) LogInfo(fmt::format("{} is finished already", path));
      cells_.push_back(finished ? std::move(finished->cell) : Compute(key, path));
    }
    if (!command_.samples.empty()) AtomicWriteFile(command_.samples, samples_);
    if (!command_.plot.empty()) Plot();
  }

  std::string ToJson() const {
    Json json = {{"schema", command_.probe ? "ssmctl.probe/1" : "ssmctl.eval/1"},
                 {"run", run_.path()},
                 {"name", config().name},
                 {"task", config().task.type()},
                 {"model", ModelName(config().model)},
                 {"checkpoint", origin_.checkpoint},
                 {"step", origin_.step},
                 {"seed", origin_.seed},
                 {"overrides", origin_.overrides},
                 {"params", model_->parameters().count()}};
    if (command_.probe) {
      json["cells"] = Json::parse(ProbesJson(probes_));
      return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    }
    json["state_bytes_live"] = LargestState();
    json["cells"] = Json::array();
    for (const CellResult& cell : cells_) json["cells"].push_back(Json::parse(CellToJson(cell)));
    // A path need not be UTF-8.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  std::string ToText(bool color) const {
    if (command_.probe) {
      return fmt::format("run    {}, step {}\nmodel  {}\n\n{}", run_.path(), origin_.step,
                         ModelName(config().model), DescribeProbes(probes_, color));
    }
    return fmt::format(
        "run    {}, step {}{}\ntask   {}\nmodel  {}: {} parameters, {} live state a stream\n\n{}",
        run_.path(), origin_.step,
        origin_.overrides.empty() ? "" : ", with " + Join(origin_.overrides, " "),
        WrapText(DescribeFor(*config().task, cells_), 73, 7), ModelName(config().model),
        FormatCount(model_->parameters().count()), FormatBytes(LargestState()),
        DescribeCells(cells_, TerminalStyleFor(STDOUT_FILENO), color));
  }

 private:
  const ExperimentConfig& config() const { return *experiment_.config; }

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
        .params = model_->parameters().count(),
        .origin = origin_,
        .cell = Summarise(score, config().task->Spec(), config().task->Known(key.split, streams))};
    WriteResultsFile(path, results);
    LogInfo(fmt::format("{} is written", path));
    if (!command_.samples.empty()) samples_ += SampleLines(score);
    return std::move(results.cell);
  }

  void Plot() const {
    int64_t written = 0;
    for (const CellResult& cell : cells_) {
      const std::string name = ResultsFileName(cell.key, origin_);
      for (const Figure& figure : FiguresOf(cell)) {
        MakeDirectories(command_.plot);
        std::string file = name.substr(0, name.rfind('.')) + "-" + figure.title + ".svg";
        std::replace(file.begin(), file.end(), ' ', '_');
        AtomicWriteFile(JoinPath(command_.plot, file), RenderSvg(figure));
        LogInfo(fmt::format("{} is written", JoinPath(command_.plot, file)));
        ++written;
      }
    }
    if (written > 0) return;
    LogInfo(
        fmt::format("--plot {}: nothing is written, as these cells have neither curves nor lags",
                    command_.plot));
  }

  int64_t LargestState() const {
    int64_t bytes = 0;
    for (const CellResult& cell : cells_) bytes = std::max(bytes, cell.state_bytes_live);
    return bytes;
  }

  const EvalCommand& command_;
  RunDirectory run_;
  Experiment experiment_;
  std::unique_ptr<SequenceModel<T>> model_;
  Parameters<T> parameters_;
  Workers workers_;
  ResultOrigin origin_;
  std::vector<CellResult> cells_;
  std::vector<ProbedCell> probes_;
  std::string samples_;
};

template <Scalar T>
void Evaluate(const EvalCommand& command, const CommandContext& context, RunDirectory run,
              Experiment experiment, std::vector<std::string> overrides) {
  RunEvaluation<T> evaluation(command, context, std::move(run), std::move(experiment),
                              std::move(overrides));
  command.probe ? evaluation.Probe() : evaluation.Run();
  Output& output = *context.output;
  output.Write(command.json ? evaluation.ToJson() : evaluation.ToText(output.color()));
}

}  // namespace

ExitCode RunEval(const EvalCommand& command, const CommandContext& context) {
  RefuseOtherOverrides(command.overrides);
  const Catalogue& catalogue = *context.catalogue;
  RunDirectory run = RunDirectory::Open(command.run);
  RefuseOutputs(command, run);
  const Experiment trained = ReadRunConfig(run, {}, catalogue.mixers, catalogue.tasks);
  Experiment experiment =
      ReadRunExperiment(run, command.overrides, catalogue.mixers, catalogue.tasks);
  std::vector<std::string> overrides = OverridesOf(*trained.config, *experiment.config);
  if (experiment.config->dtype == Precision::kFloat64) {
    Evaluate<double>(command, context, std::move(run), std::move(experiment), std::move(overrides));
  } else {
    Evaluate<float>(command, context, std::move(run), std::move(experiment), std::move(overrides));
  }
  return ExitCode::kDone;
}

}  // namespace ssm
