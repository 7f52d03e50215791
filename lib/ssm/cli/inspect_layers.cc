#include "ssm/cli/inspect_layers.h"

#include "ssm/analysis/geometric_grid.h"
#include "ssm/experiment/model_name.h"
#include "ssm/training/initial_values.h"

namespace ssm {
namespace {

std::vector<double> ScalesOf(const LayersAsked& asked) {
  if (!asked.sweep) return {};
  if (asked.sweep->count == 0) return GeometricGrid(asked.dt_scale / 8, 8 * asked.dt_scale, 7);
  return GeometricGrid(asked.sweep->low, asked.sweep->high, asked.sweep->count);
}

template <Scalar T>
Inspection Inspect(const ExperimentConfig& config, const LayersAsked& asked) {
  Inspection inspection{config.name, ModelName(config.model), config.rate_hz, asked.dt_scale, -1,
                        {}};
  const auto seed = static_cast<uint64_t>(config.seed.init);
  const SequenceModel<T> model(config.model, IoOf(config.task->Spec()), seed);
  Parameters<T> parameters(model.parameters());
  const std::vector<double> scales = ScalesOf(asked);
  std::vector<IsolatedMixer> mixers;
  for (int64_t i = 0; i < config.model.layers.size(); ++i) {
    IsolatedMixer& mixer = mixers.emplace_back(config.model, i, seed);
    mixer.Take(parameters);
    LayerInspection& layer = inspection.layers.emplace_back();
    layer.mixer = mixer.type();
    layer.kind = mixer.kind();
    layer.before = ReportOf(mixer, asked.dt_scale);
    if (mixer.time_invariant()) layer.sweep_before = SweepScales(mixer, scales);
  }
  if (asked.run.empty()) return inspection;
  inspection.step = ReadValues<T>(asked.run, asked.checkpoint, parameters).step;
  for (size_t i = 0; i < mixers.size(); ++i) {
    mixers[i].Take(parameters);
    inspection.layers[i].after = ReportOf(mixers[i], asked.dt_scale);
    if (mixers[i].time_invariant()) {
      inspection.layers[i].sweep_after = SweepScales(mixers[i], scales);
    }
  }
  return inspection;
}

}  // namespace

Inspection InspectLayers(const ExperimentConfig& config, const LayersAsked& asked) {
  return config.dtype == Precision::kFloat32 ? Inspect<float>(config, asked)
                                             : Inspect<double>(config, asked);
}

}  // namespace ssm
