#include "ssm/experiment/experiment_config.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <utility>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/experiment/plain_name.h"
#include "ssm/experiment/solve_width.h"
#include "ssm/models/widths.h"

namespace ssm {
namespace {

std::string Absolute(const std::string& path) {
  char buffer[PATH_MAX];
  if (path.starts_with('/') || getcwd(buffer, sizeof(buffer)) == nullptr) return path;
  return JoinPath(buffer, path);
}

/// A path beside the config comes first; one typed as an override starts at the working directory.
std::string ResolveInput(const std::string& path, const std::string& directory) {
  const std::string beside = JoinPath(directory, path);
  return Absolute(Exists(beside) ? beside : path);
}

/// What ReadUnloaded does, into a config that may have been prepared for it.
Experiment ReadInto(std::unique_ptr<ExperimentConfig> config, const ConfigSource& source,
                    const std::string& directory) {
  Experiment experiment;
  experiment.dropped = ReadConfig(source, *config);
  const std::string folder = source.file == "-" ? "." : ParentPath(source.file);
  experiment.directory = Absolute(directory.empty() ? folder : directory);
  if (config->train.init_from) {
    config->train.init_from = ResolveInput(*config->train.init_from, experiment.directory);
  }
  experiment.config = std::move(config);
  return experiment;
}

/// Solves the width, or makes sure that one which is given is the one that would be solved.
void ObeyBudget(ExperimentConfig& config, const std::string& directory) {
  const int64_t given = config.model.d_model;
  config.model.d_model = SolveWidth(config, directory);
  if (given == kOpenWidth || given == config.model.d_model) return;
  Fail(ExitCode::kBadConfig,
       fmt::format("model.d_model is {}, but {} asks for {}: leave one of them out (model.d_model="
                   "null or budget=none)",
                   given, config.budget.Words(), config.model.d_model));
}

}  // namespace

const char* PrecisionName(Precision precision) {
  return precision == Precision::kFloat32 ? "float32" : "float64";
}

void SeedOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Int("init", init, {.min = 0}, "initial parameters");
  visitor.Int("data", data, {.min = 0}, "training sequences, their order, dropout");
  visitor.Int("eval", eval, {.min = 0}, "validation, test and probe sequences");
}

void ExperimentConfig::VisitFields(FieldVisitor& visitor) {
  visitor.Text("name", name, {"names the run directory", FieldRole::kCadence});
  const std::array<int64_t*, 3> seeds = {&seed.init, &seed.data, &seed.eval};
  visitor.ObjectOrInt("seed", seed, seeds, "seeds; one integer sets all of them");
  visitor.Choice("dtype", dtype,
                 {{"float32", Precision::kFloat32}, {"float64", Precision::kFloat64}},
                 "scalar the model computes in");
  visitor.Real("rate_hz", rate_hz, Positive(), "tokens a second in the world, in Hz");
  visitor.OptionalObject("budget", has_budget, budget,
                         {"what the model may cost: model.d_model is solved from it; or \"none\"",
                          FieldRole::kCadence});  // the width counts
  if (!has_budget && model.d_model == kOpenWidth) model.d_model = usual_width_;
  visitor.Tagged("task", task, "what is asked of the model");
  visitor.Object("model", model, "encoder, blocks, readout");
  visitor.Object("train", train, "how it is trained");
  visitor.Object("eval", eval, {"how it is evaluated", FieldRole::kCadence});
}

void ExperimentConfig::Check(Faults& faults) const {
  if (!IsPlainName(name)) {
    faults.Add("name", fmt::format("is {}, but it names a folder: allowed are 1 to 100 letters, "
                                   "digits, '.', '_' and '-', not beginning with '.' or '-'",
                                   Quote(name)));
  }
}

void ExperimentConfig::LeaveWidthOpen() { usual_width_ = std::exchange(model.d_model, kOpenWidth); }

Experiment ReadUnloaded(const ConfigSource& source, const MixerRegistry& mixers,
                        const TaskRegistry& tasks, const std::string& directory) {
  return ReadInto(std::make_unique<ExperimentConfig>(mixers, tasks), source, directory);
}

Experiment ReadExperiment(const ConfigSource& source, const MixerRegistry& mixers,
                          const TaskRegistry& tasks, const std::string& directory) {
  auto config = std::make_unique<ExperimentConfig>(mixers, tasks);
  config->LeaveWidthOpen();
  Experiment experiment = ReadInto(std::move(config), source, directory);
  experiment.config->task->Load(experiment.directory);
  if (experiment.config->has_budget) ObeyBudget(*experiment.config, experiment.directory);
  experiment.config->model.Load(experiment.directory);
  RequireEndsFit(experiment.config->model, IoOf(experiment.config->task->Spec()));
  return experiment;
}

ModelIo IoOf(const TaskSpec& spec) {
  ModelIo io;
  io.reals = std::ssize(spec.reals);
  for (const TokenField& field : spec.tokens) io.tokens.push_back({field.name, field.vocabulary});
  io.outputs = spec.outputs;
  return io;
}

template <Scalar T>
std::unique_ptr<SequenceModel<T>> MakeModel(const ExperimentConfig& config, InitialValues values) {
  return std::make_unique<SequenceModel<T>>(config.model, IoOf(config.task->Spec()),
                                            static_cast<uint64_t>(config.seed.init), values);
}

template std::unique_ptr<SequenceModel<float>> MakeModel(const ExperimentConfig&, InitialValues);
template std::unique_ptr<SequenceModel<double>> MakeModel(const ExperimentConfig&, InitialValues);

}  // namespace ssm
