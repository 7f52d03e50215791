#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ssm/base/files.h"
#include "ssm/base/log.h"
#include "ssm/base/text.h"
#include "ssm/cli/cell_text.h"
#include "ssm/cli/commands.h"
#include "ssm/cli/eval_report.h"
#include "ssm/cli/eval_request.h"
#include "ssm/cli/help.h"
#include "ssm/cli/interrupt_notice.h"
#include "ssm/cli/probe_report.h"
#include "ssm/evaluation/cell_json.h"
#include "ssm/evaluation/samples_file.h"
#include "ssm/experiment/model_name.h"
#include "ssm/experiment/run_directory.h"
#include "ssm/experiment/run_evaluation.h"
#include "ssm/plot/svg.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

/// What is evaluated, and of which checkpoint.
Json Head(const char* schema, const RunEvaluation& evaluation) {
  const ExperimentConfig& config = *evaluation.experiment.config;
  return {{"schema", schema},
          {"run", evaluation.run},
          {"name", config.name},
          {"task", config.task.type()},
          {"model", ModelName(config.model)},
          {"checkpoint", evaluation.origin.checkpoint},
          {"step", evaluation.origin.step},
          {"seed", evaluation.origin.seed},
          {"overrides", evaluation.origin.overrides},
          {"params", evaluation.params},
          {"flops", evaluation.flops}};
}

/// A path need not be UTF-8.
std::string Dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string ToJson(const RunEvaluation& evaluation) {
  Json json = Head("ssmctl.eval/1", evaluation);
  json["state_bytes_live"] = evaluation.LargestState();
  json["cells"] = Json::array();
  for (const CellResult& cell : evaluation.cells) {
    json["cells"].push_back(Json::parse(CellToJson(cell)));
  }
  return Dump(json);
}

std::string ToText(const RunEvaluation& evaluation, bool color) {
  const ExperimentConfig& config = *evaluation.experiment.config;
  const ResultOrigin& origin = evaluation.origin;
  return fmt::format(
      "run    {}, step {}{}\ntask   {}\nmodel  {}: {} parameters, {} live state a stream\n\n{}",
      evaluation.run, origin.step,
      origin.overrides.empty() ? "" : ", with " + Join(origin.overrides, " "),
      WrapText(DescribeFor(*config.task, evaluation.cells), 73, 7), ModelName(config.model),
      FormatCount(evaluation.params), FormatBytes(evaluation.LargestState()),
      DescribeCells(evaluation.cells, TerminalStyleFor(STDOUT_FILENO), color));
}

std::string ProbesToJson(const RunEvaluation& evaluation) {
  Json json = Head("ssmctl.probe/1", evaluation);
  json["cells"] = Json::parse(ProbesJson(evaluation.probes));
  return Dump(json);
}

std::string ProbesToText(const RunEvaluation& evaluation, bool color) {
  return fmt::format("run    {}, step {}\nmodel  {}\n\n{}", evaluation.run, evaluation.origin.step,
                     ModelName(evaluation.experiment.config->model),
                     DescribeProbes(evaluation.probes, color));
}

void Plot(const RunEvaluation& evaluation, const std::string& folder) {
  int64_t written = 0;
  for (const CellResult& cell : evaluation.cells) {
    const std::string name = ResultsFileName(cell.key, evaluation.origin);
    for (const Figure& figure : FiguresOf(cell)) {
      MakeDirectories(folder);
      std::string file = name.substr(0, name.rfind('.')) + "-" + figure.title + ".svg";
      std::replace(file.begin(), file.end(), ' ', '_');
      AtomicWriteFile(JoinPath(folder, file), RenderSvg(figure));
      LogInfo(fmt::format("{} is written", JoinPath(folder, file)));
      ++written;
    }
  }
  if (written > 0) return;
  LogInfo(fmt::format("--plot {}: nothing is written, as these cells have neither curves nor lags",
                      folder));
}

}  // namespace

ExitCode RunEval(const EvalCommand& command, const CommandContext& context) {
  RefuseOtherOverrides(command.overrides);
  RefuseOutputs(command, RunDirectory::Open(command.run));
  EvalRequest request{.run = command.run,
                      .overrides = command.overrides,
                      .checkpoint = command.checkpoint,
                      .threads = context.threads,
                      .scored = {}};
  Output& output = *context.output;
  const Catalogue& catalogue = *context.catalogue;
  const InterruptNotice notice;
  if (command.probe) {
    const RunEvaluation probed = ProbeRun(request, catalogue.mixers, catalogue.tasks);
    output.Write(command.json ? ProbesToJson(probed) : ProbesToText(probed, output.color()));
    return ExitCode::kDone;
  }
  std::string samples;
  if (!command.samples.empty()) {
    request.scored = [&](const CellScore& score) { samples += SampleLines(score); };
  }
  const RunEvaluation evaluation = EvaluateRun(request, catalogue.mixers, catalogue.tasks);
  if (!command.samples.empty()) AtomicWriteFile(command.samples, samples);
  if (!command.plot.empty()) Plot(evaluation, command.plot);
  output.Write(command.json ? ToJson(evaluation) : ToText(evaluation, output.color()));
  return ExitCode::kDone;
}

}  // namespace ssm
