#include "ssm/experiment/run_data.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/config/flat_fields.h"

namespace ssm {

DataField DataFieldOf(ExperimentConfig& config) {
  for (const FlatField& field : FlattenFields(config).fields) {
    const auto named = [&](const char* key, const char* word) {
      return DataField{key, word, nlohmann::json::parse(field.value).get<std::string>()};
    };
    if (field.pointer == "/task/file") return named("task.file", "recording");
    if (field.pointer == "/task/system") return named("task.system", "system");
  }
  return {};
}

void LoadRunData(const RunDirectory& run, const Experiment& experiment) {
  try {
    experiment.config->task->Load(experiment.directory);
  } catch (const Error& error) {
    if (error.code() != ExitCode::kMissingInput) throw;
    const DataField data = DataFieldOf(*experiment.config);
    Fail(error.code(),
         fmt::format("{} It is the {} of the run's task: put it back there, or name its new place: "
                     "\"ssmctl eval {} {}=/NEW/PLACE\".",
                     error.what(), data.word, PathArgument(run.path()), data.key));
  }
  RequireSameData(run, experiment);
}

void RequireSameData(const RunDirectory& run, const Experiment& experiment) {
  const std::string now = experiment.config->task->DataDigest();
  if (now.empty() || !Exists(run.manifest())) return;
  const std::optional<RunManifest> manifest = ReadableManifest(run);
  if (!manifest || manifest->data_sha256.empty() || manifest->data_sha256 == now) return;
  const DataField data = DataFieldOf(*experiment.config);
  Fail(ExitCode::kBadData,
       fmt::format("{} is not what {} was trained on: its bytes have changed since. Put the {} "
                   "of then back; to use this one, train another run, or score it under another "
                   "name: \"ssmctl eval {} {}=/NEW/NAME\".",
                   QuotePath(JoinPath(experiment.directory, data.file)), QuotePath(run.path()),
                   data.word, PathArgument(run.path()), data.key));
}

void LoadRunModel(const RunDirectory& run, const Experiment& experiment) {
  try {
    experiment.config->model.Load(experiment.directory);
  } catch (const Error& error) {
    if (error.code() != ExitCode::kMissingInput) throw;
    Fail(error.code(), fmt::format("{} A layer of {} started from it: put it back there.",
                                   error.what(), QuotePath(run.path())));
  }
  RequireSameModelFiles(run, experiment);
}

void RequireSameModelFiles(const RunDirectory& run, const Experiment& experiment) {
  const std::string now = experiment.config->model.FileDigest();
  if (now.empty() || !Exists(run.manifest())) return;
  const std::optional<RunManifest> manifest = ReadableManifest(run);
  if (!manifest || manifest->model_sha256.empty() || manifest->model_sha256 == now) return;
  Fail(ExitCode::kBadData,
       fmt::format("A file that a layer of {} started from has changed since: what its config "
                   "names in model.layers is not what it was trained from. Put the file of then "
                   "back, or train another run.",
                   QuotePath(run.path())));
}

}  // namespace ssm
