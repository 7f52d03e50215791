#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/cli/commands.h"
#include "ssm/experiment/apply_run.h"
#include "ssm/experiment/checkpoint_choice.h"
#include "ssm/experiment/model_name.h"
#include "ssm/training/initial_values.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

Json ShapeJson(const Shape& shape) {
  Json axes = Json::array();
  for (const int64_t axis : shape) axes.push_back(axis);
  return axes;
}

struct Report {
  std::string run, name, model, dtype;
  int64_t step = 0, params = 0;
  ApplyOutcome outcome;
};

std::string ToJson(const Report& report, const ApplyRequest& request) {
  const ApplyOutcome& outcome = report.outcome;
  const Json json = {{"schema", "ssmctl.apply/1"},
                     {"run", report.run},
                     {"name", report.name},
                     {"model", report.model},
                     {"params", report.params},
                     {"step", report.step},
                     {"dtype", report.dtype},
                     {"input", ShapeJson(outcome.input)},
                     {"output", ShapeJson(outcome.output)},
                     {"rows", outcome.rows},
                     {"tokens", outcome.steps},
                     {"chunk", outcome.chunk},
                     {"mode", outcome.chunk == 1 ? "step" : "forward"},
                     {"state_bytes_live", outcome.state_bytes},
                     {"states", outcome.samples},
                     {"files", {{"output", request.output}}}};
  Json whole = json;
  if (!request.states.empty()) whole["files"]["states"] = request.states;
  if (!request.state_out.empty()) whole["files"]["state_out"] = request.state_out;
  // A path need not be UTF-8.
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string ToText(const Report& report, const ApplyRequest& request) {
  const ApplyOutcome& outcome = report.outcome;
  const std::string way = outcome.chunk == 1
                              ? "token by token"
                              : fmt::format("{} a pass", FormatCount(outcome.chunk, "token"));
  std::string text = fmt::format(
      "run    {}, step {}\nmodel  {}: {} parameters\ninput  {} {}, {}\noutput {} {} {}\n",
      report.run, report.step, report.model, FormatCount(report.params), request.input,
      outcome.input.ToString(), way, request.output, outcome.output.ToString(), report.dtype);
  text += fmt::format("state  {} live after {}{}\n", FormatBytes(outcome.state_bytes),
                      FormatCount(outcome.steps, "token"),
                      outcome.rows > 1 ? fmt::format(" of {} rows", outcome.rows) : "");
  if (!request.state_out.empty())
    text += fmt::format("       {} goes on from it\n", request.state_out);
  if (!request.states.empty()) {
    text += fmt::format("states {} holds {}, one every {}\n", request.states,
                        FormatCount(outcome.samples), FormatCount(request.every, "token"));
  }
  return text;
}

template <Scalar T>
Report Apply(const ExperimentConfig& config, const RunDirectory& run, const std::string& checkpoint,
             const ApplyRequest& request) {
  const std::unique_ptr<SequenceModel<T>> model = MakeModel<T>(config);
  Parameters<T> parameters(model->parameters());
  Report report;
  report.run = run.path();
  report.name = config.name;
  report.model = ModelName(config.model);
  report.dtype = PrecisionName(config.dtype);
  report.step = ReadValues<T>(run.path(), checkpoint, parameters).step;
  parameters.Touch();
  report.params = model->parameters().count();
  report.outcome =
      ApplyModel<T>(*model, parameters.View(), ModelIdentity(run, checkpoint), request);
  return report;
}

/// What must hold between the flags.
void CheckFlags(const ApplyCommand& command) {
  if (command.states.empty() != (command.every == 0)) {
    throw Error(ExitCode::kUsage, command.states.empty()
                                      ? "--every says how often, and --states FILE where to"
                                      : "--states needs to know how often: --every K");
  }
  const std::vector<std::pair<const char*, const std::string*>> outputs = {
      {"--output", &command.output},
      {"--state-out", &command.state_out},
      {"--states", &command.states}};
  for (const auto& [flag, path] : outputs) {
    if (path->empty() || !IsDirectory(*path)) continue;
    throw Error(ExitCode::kCannotCreate,
                fmt::format("{} {}: it is a folder; name a file", flag, *path));
  }
}

}  // namespace

ExitCode RunApply(const ApplyCommand& command, const CommandContext& context) {
  CheckFlags(command);
  const Catalogue& catalogue = *context.catalogue;
  const RunDirectory run = RunDirectory::Open(command.run);
  const Experiment experiment = ReadRunExperiment(run, {}, catalogue.mixers, catalogue.tasks);
  const std::string checkpoint = ChosenCheckpoint(run, command.checkpoint);
  const ApplyRequest request{.input = command.input,
                             .output = command.output,
                             .chunk = command.chunk,
                             .state_in = command.state_in,
                             .state_out = command.state_out,
                             .states = command.states,
                             .every = command.every};
  const ExperimentConfig& config = *experiment.config;
  const Report report = config.dtype == Precision::kFloat64
                            ? Apply<double>(config, run, checkpoint, request)
                            : Apply<float>(config, run, checkpoint, request);
  context.output->Write(command.json ? ToJson(report, request) : ToText(report, request));
  return ExitCode::kDone;
}

}  // namespace ssm
