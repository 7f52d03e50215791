#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/cli/commands.h"
#include "ssm/experiment/checkpoint_choice.h"
#include "ssm/experiment/import_run.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

std::string Dumped(const Json& json) {
  // A path need not be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string ImportJson(const ImportOutcome& outcome) {
  return Dumped({{"schema", "ssmctl.import/1"},
                 {"run", outcome.run},
                 {"family", outcome.family},
                 {"layers", outcome.layers},
                 {"d_model", outcome.d_model},
                 {"vocabulary", outcome.vocabulary},
                 {"tied", outcome.tied},
                 {"params", outcome.params},
                 {"ignored", outcome.ignored}});
}

std::string ImportText(const ImportOutcome& outcome) {
  std::string text =
      fmt::format("run     {}\nmodel   {}: {}, d_model {}, {}, head {}; {} parameters\n",
                  outcome.run, outcome.family, FormatCount(outcome.layers, "layer"),
                  outcome.d_model, FormatCount(outcome.vocabulary, "id"),
                  outcome.tied ? "tied" : "of its own", FormatCount(outcome.params));
  if (!outcome.ignored.empty()) {
    text += fmt::format("ignored {}\n", Join(outcome.ignored, ", "));
  }
  return text + fmt::format("next    ssmctl apply {} --input IDS.npy --output LOGITS.npy\n",
                            PathArgument(outcome.run));
}

void RefuseFolder(const char* flag, const std::string& path) {
  if (!IsDirectory(path)) return;
  throw Error(ExitCode::kCannotCreate,
              fmt::format("{} {}: it is a folder; name a file", flag, path));
}

}  // namespace

ExitCode RunImport(const ImportCommand& command, const CommandContext& context) {
  const ImportRequest request{
      .family = command.family,
      .file = command.file,
      .config = command.config,
      .out = command.out,
      .dtype = command.dtype == "float64" ? Precision::kFloat64 : Precision::kFloat32,
      .arguments = context.arguments};
  const ImportOutcome outcome =
      ImportModel(request, context.catalogue->mixers, context.catalogue->tasks);
  context.output->Write(command.json ? ImportJson(outcome) : ImportText(outcome));
  return ExitCode::kDone;
}

ExitCode RunExport(const ExportCommand& command, const CommandContext& context) {
  RefuseFolder("--out", command.out);
  RefuseFolder("--config", command.config);
  const Catalogue& catalogue = *context.catalogue;
  const RunDirectory run = RunDirectory::Open(command.run);
  const Experiment experiment = ReadRunExperiment(run, {}, catalogue.mixers, catalogue.tasks);
  const ExportRequest request{.checkpoint = ChosenCheckpoint(run, command.checkpoint),
                              .out = command.out,
                              .config = command.config};
  const ExportOutcome outcome = ExportModel(run, experiment, request, catalogue.mixers);
  if (command.json) {
    context.output->Write(Dumped({{"schema", "ssmctl.export/1"},
                                  {"run", run.path()},
                                  {"family", outcome.family},
                                  {"step", outcome.step},
                                  {"tensors", outcome.tensors},
                                  {"bytes", outcome.bytes},
                                  {"file", command.out}}));
    return ExitCode::kDone;
  }
  context.output->Write(fmt::format(
      "run    {}, step {}\nfile   {}: {} of {}, {}\n", run.path(), outcome.step, command.out,
      FormatCount(outcome.tensors, "tensor"), outcome.family, FormatBytes(outcome.bytes)));
  return ExitCode::kDone;
}

}  // namespace ssm
