#include "ssm/cli/layer_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "ssm/cli/eval_report.h"
#include "ssm/evaluation/results_file.h"
#include "ssm/plot/histogram.h"

namespace ssm {
namespace {

using NamedModes = std::vector<std::pair<std::string, const std::vector<LinearMode>*>>;

NamedModes ModesOf(const LayerInspection& layer) {
  if (!layer.after) return {{"initial", &layer.before.modes}};
  return {{"before", &layer.before.modes}, {"after", &layer.after->modes}};
}

std::string TitleOf(const LayerInspection& layer, size_t index, const char* what) {
  return fmt::format("layer {}, {}: {}", index, layer.mixer, what);
}

Figure Multipliers(const LayerInspection& layer, size_t index) {
  Figure figure;
  figure.title = TitleOf(layer, index, "multipliers of a token");
  figure.x_label = "Re z";
  figure.y_label = "Im z";
  figure.equal_scales = true;
  figure.circles.push_back({"unit circle", 1});
  for (const auto& [name, modes] : ModesOf(layer)) {
    Series& series = figure.series.emplace_back(Series{name, {}, {}, {}, {}, Mark::kDots});
    for (const LinearMode& mode : *modes) {
      series.x.push_back(mode.multiplier.real());
      series.y.push_back(mode.multiplier.imag());
    }
  }
  return figure;
}

Figure HalfLives(const LayerInspection& layer, size_t index) {
  Figure figure;
  figure.title = TitleOf(layer, index, "half-lives");
  figure.x_label = "half-life, tokens";
  figure.y_label = "modes";
  figure.log_x = true;
  std::vector<double> all;
  for (const auto& [name, modes] : ModesOf(layer)) {
    for (const LinearMode& mode : *modes) all.push_back(HalfLife(mode));
  }
  const std::vector<double> edges = LogEdges(all);
  for (const auto& [name, modes] : ModesOf(layer)) {
    std::vector<double> values;
    for (const LinearMode& mode : *modes) values.push_back(HalfLife(mode));
    if (!edges.empty()) figure.series.push_back(HistogramOf(name, values, edges));
  }
  return figure;
}

}  // namespace

NamedFigures FiguresOf(const Inspection& inspection) {
  NamedFigures figures;
  for (size_t i = 0; i < inspection.layers.size(); ++i) {
    const LayerInspection& layer = inspection.layers[i];
    const std::string prefix = fmt::format("layer{}-", i);
    if (!layer.before.modes.empty()) {
      figures.emplace_back(prefix + "multipliers", Multipliers(layer, i));
      figures.emplace_back(prefix + "half_lives", HalfLives(layer, i));
    }
    if (Figure kernel = KernelFigure(layer, i); !kernel.series.empty()) {
      figures.emplace_back(prefix + "kernel", std::move(kernel));
    }
  }
  return figures;
}

NamedFigures RetentionFigures(const std::string& results_folder) {
  NamedFigures figures;
  std::vector<std::string> faults;  // `table` tells them
  for (const ResultsFile& results : ReadGoodResults(results_folder, faults)) {
    const std::string file = ResultsFileName(results.cell.key, results.origin);
    for (Figure& figure : FiguresOf(results.cell)) {
      if (!figure.title.ends_with(" by lag")) continue;
      figures.emplace_back("retention-" + file.substr(0, file.rfind('.')), std::move(figure));
    }
  }
  return figures;
}

}  // namespace ssm
