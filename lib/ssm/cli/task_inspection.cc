#include "ssm/cli/task_inspection.h"

#include "ssm/analysis/task_sample.h"
#include "ssm/cli/run_values.h"
#include "ssm/experiment/model_name.h"

namespace ssm {

TaskInspection InspectOnTask(const ExperimentConfig& config, const OnTaskAsked& asked) {
  TaskInspection result;
  result.name = config.name;
  result.model = ModelName(config.model);
  const Task& task = *config.task;
  const auto seed = static_cast<uint64_t>(config.seed.init);
  const SequenceModel<double> model(config.model, IoOf(task.Spec()), seed);
  Parameters<double> params(model.parameters());
  if (!asked.run.empty()) {
    result.step = ReadInDouble(config, asked.run, asked.checkpoint, params);
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
