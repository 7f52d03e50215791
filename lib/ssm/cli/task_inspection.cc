#include "ssm/cli/task_inspection.h"

#include "ssm/analysis/task_sample.h"
#include "ssm/experiment/model_name.h"
#include "ssm/training/initial_values.h"

namespace ssm {
namespace {

/// The parameters of a run of scalar T, in double.
template <Scalar T>
int64_t ReadInto(const ExperimentConfig& config, const OnTaskAsked& asked,
                 Parameters<double>& values) {
  const SequenceModel<T> model(config.model, IoOf(config.task->Spec()),
                               static_cast<uint64_t>(config.seed.init));
  Parameters<T> read(model.parameters());
  const int64_t step = ReadValues<T>(asked.run, asked.checkpoint, read).step;
  std::copy(read.flat().begin(), read.flat().end(), values.flat().begin());
  values.Touch();
  return step;
}

}  // namespace

TaskInspection InspectOnTask(const ExperimentConfig& config, const OnTaskAsked& asked) {
  TaskInspection result;
  result.name = config.name;
  result.model = ModelName(config.model);
  const Task& task = *config.task;
  const auto seed = static_cast<uint64_t>(config.seed.init);
  const SequenceModel<double> model(config.model, IoOf(task.Spec()), seed);
  Parameters<double> params(model.parameters());
  if (!asked.run.empty()) {
    result.step = config.dtype == Precision::kFloat32 ? ReadInto<float>(config, asked, params)
                                                      : ReadInto<double>(config, asked, params);
  }
  const auto eval_seed = static_cast<uint64_t>(config.seed.eval);
  const TaskSample sample =
      DrawSample(task, model, params.View(), {.seed = eval_seed, .dt_scale = asked.dt_scale});
  result.sequences = sample.piece.rows;
  result.steps = sample.piece.steps;
  for (int64_t i = 0; i < config.model.layers.size(); ++i) {
    IsolatedMixer mixer(config.model, i, seed);
    mixer.Take(params);
    LayerOnTask& layer = result.layers.emplace_back();
    layer.mixer = mixer.type();
    const Array<double>& inputs = sample.taps.mixer_inputs[static_cast<size_t>(i)];
    layer.selection = SelectionOf(mixer, sample, inputs, asked.dt_scale);
    if (!layer.selection) layer.expansion = ExpansionOf(mixer, sample, inputs, asked.dt_scale);
  }
  result.influence =
      InfluenceOf(model, params, task, {.seed = eval_seed, .dt_scale = asked.dt_scale});
  result.divergence = Divergence(model, params.View(), asked.dt_scale, sample.piece,
                                 std::max<int64_t>(1, sample.piece.steps / 4));
  result.idle = IdleNorms(model, params.View(), asked.dt_scale, asked.idle_steps);
  return result;
}

}  // namespace ssm
