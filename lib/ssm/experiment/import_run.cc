#include "ssm/experiment/import_run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "ssm/base/atomic_file.h"
#include "ssm/base/files.h"
#include "ssm/base/log.h"
#include "ssm/base/sha256.h"
#include "ssm/base/text.h"
#include "ssm/base/workers.h"
#include "ssm/experiment/named_files.h"
#include "ssm/interop/foreign_config.h"
#include "ssm/interop/published_note.h"
#include "ssm/training/checkpoint.h"
#include "ssm/training/initial_values.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

std::string NotePath(const RunDirectory& run) { return JoinPath(run.path(), "published.json"); }

std::string ExperimentJson(const PublishedModel& model, const ForeignConfig& foreign,
                           Precision dtype) {
  Json task = {{"type", "next_token"}, {"vocabulary", model.sizes.at('V')}};
  if (foreign.context > 0) task["context"] = foreign.context;
  const Json json = {{"name", std::string(model.family->name)},
                     {"dtype", PrecisionName(dtype)},
                     {"task", task},
                     {"model", Json::parse(ModelJson(model))}};
  return json.dump(2);
}

/// A folder that goes again unless everything is in it.
class RunInTheMaking {
 public:
  explicit RunInTheMaking(const std::string& path)
      : made_(!Exists(path)), run_(RunDirectory::CreateAt(path, kImportRule)) {}
  ~RunInTheMaking() {
    if (whole_) return;
    try {
      if (made_) {
        RemoveTree(run_.path());
      } else {
        for (const std::string& name : ListDirectory(run_.path())) {
          RemoveTree(JoinPath(run_.path(), name));
        }
      }
    } catch (const std::exception& error) {
      LogWarning(error.what());
    }
  }
  RunInTheMaking(const RunInTheMaking&) = delete;
  RunInTheMaking& operator=(const RunInTheMaking&) = delete;
  const RunDirectory& run() const { return run_; }
  void Keep() { whole_ = true; }

 private:
  bool made_, whole_ = false;
  RunDirectory run_;
};

template <Scalar T>
int64_t WriteRun(const RunDirectory& run, const Experiment& experiment,
                 const PublishedModel& published, const TensorFile& file,
                 const ImportRequest& request) {
  ExperimentConfig& config = *experiment.config;
  const std::unique_ptr<SequenceModel<T>> model = MakeModel<T>(config);
  Parameters<T> parameters(model->parameters());
  TakeValues(published, file, parameters);
  AtomicWriteFile(run.config(), WriteConfig(config));
  RunManifest manifest = MakeManifest(experiment, DefaultThreads(), request.arguments);
  AtomicWriteFile(run.manifest(), WriteConfig(manifest));
  const TrainOptions& train = config.train;
  AdamW<T> optimiser(ParameterRanges(model->parameters(), train), model->parameters().flat_size(),
                     train.beta1, train.beta2, train.eps);
  CheckpointState state;
  state.dtype = PrecisionName(config.dtype);
  state.config_hash = ConfigHash(config);
  state.seed_init = config.seed.init;
  state.seed_data = config.seed.data;
  state.seed_eval = config.seed.eval;
  CheckpointStore store(run.checkpoints());
  store.Save<T>(state, {&parameters, &optimiser}, train.keep);
  RunStatus status;
  status.state = "finished";
  status.message = "imported";
  run.WriteStatus(status);
  return model->parameters().count();
}

template <Scalar T>
TensorFile ReadRun(const RunDirectory& run, const ExperimentConfig& config,
                   const ExportRequest& request, const PublishedModel& published,
                   const PublishedNames& names, int64_t& step) {
  const std::unique_ptr<SequenceModel<T>> model = MakeModel<T>(config);
  Parameters<T> parameters(model->parameters());
  step = ReadValues<T>(run.path(), request.checkpoint, parameters).step;
  return PublishedTensors(published, parameters, names, model->io().tokens.front().name);
}

/// Neither file may be written over the other, nor over one that the run is read from.
void RefuseOverwriting(const RunDirectory& run, const ExportRequest& request) {
  std::vector<NamedFile> reads;
  for (const std::string& path :
       {run.config(), run.manifest(), run.status(), run.metrics(), NotePath(run)}) {
    reads.push_back({"RUN", path});
  }
  if (IsDirectory(run.checkpoints())) {
    for (const std::string& step : ListDirectory(run.checkpoints())) {
      const std::string folder = JoinPath(run.checkpoints(), step);
      if (!IsDirectory(folder)) continue;
      for (const std::string& name : ListDirectory(folder)) {
        reads.push_back({"RUN", JoinPath(folder, name)});
      }
    }
  }
  const NamedFile writes[] = {{"--out", request.out}, {"--config", request.config}};
  RefuseSameFiles(reads, writes);
}

}  // namespace

ImportOutcome ImportModel(const ImportRequest& request, const MixerRegistry& mixers,
                          const TaskRegistry& tasks) {
  const PublishedFamily* family = FindFamily(request.family);
  SSM_CHECK(family != nullptr, "a family the command line allows");
  TensorFile file = ReadSafetensors(request.file, {.refuse_non_finite = true});
  PublishedNote note{request.family, Sha256File(request.file), 0, {}};
  const PublishedModel published = ReadPublished(*family, request.file, file, note.tensors);
  ForeignConfig foreign;
  if (!request.config.empty()) foreign = ReadForeignConfig(request.config, published);
  note.context = foreign.context;

  Experiment experiment;
  experiment.config = std::make_unique<ExperimentConfig>(mixers, tasks);
  experiment.directory = ".";
  try {
    ReadConfigText(ExperimentJson(published, foreign, request.dtype), request.file, {},
                   *experiment.config);
  } catch (const Error& error) {  // sizes beyond what the mixers take: the file's fault
    Fail(ExitCode::kBadData, error.what());
  }
  RunInTheMaking making(request.out);
  const RunDirectory& run = making.run();
  ImportOutcome outcome;
  outcome.run = run.path();
  outcome.family = request.family;
  outcome.layers = published.layers;
  outcome.d_model = published.sizes.at('D');
  outcome.vocabulary = published.sizes.at('V');
  outcome.tied = published.tied;
  outcome.ignored = foreign.ignored;
  outcome.params = request.dtype == Precision::kFloat64
                       ? WriteRun<double>(run, experiment, published, file, request)
                       : WriteRun<float>(run, experiment, published, file, request);
  AtomicWriteFile(NotePath(run), PublishedNoteText(note));
  making.Keep();
  return outcome;
}

ExportOutcome ExportModel(const RunDirectory& run, const Experiment& experiment,
                          const ExportRequest& request, const MixerRegistry& mixers) {
  RefuseOverwriting(run, request);
  ExperimentConfig& config = *experiment.config;
  const TaskSpec spec = config.task->Spec();
  const auto layout = MakeModel<float>(config, InitialValues::kLayout);
  const PublishedModel published =
      PublishedOf(mixers, config.model, IoOf(spec), layout->parameters(), run.path());
  PublishedNote note;
  if (Exists(NotePath(run))) note = ReadPublishedNote(NotePath(run));
  ExportOutcome outcome{std::string(published.family->name), 0, 0, 0};
  const TensorFile file =
      config.dtype == Precision::kFloat64
          ? ReadRun<double>(run, config, request, published, note.tensors, outcome.step)
          : ReadRun<float>(run, config, request, published, note.tensors, outcome.step);
  const std::string bytes = SafetensorsBytes(file);
  outcome.tensors = std::ssize(file.tensors);
  outcome.bytes = std::ssize(bytes);
  AtomicFile out(request.out);
  out.WriteAt(0, bytes);
  std::optional<AtomicFile> out_config;
  if (!request.config.empty()) {
    out_config.emplace(request.config);
    out_config->WriteAt(0,
                        ForeignConfigText(published, note.context > 0 ? note.context : spec.steps));
    out_config->Stage();
  }
  out.Commit();
  if (out_config) out_config->Commit();
  return outcome;
}

}  // namespace ssm
