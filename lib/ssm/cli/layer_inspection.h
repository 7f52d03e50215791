// The layers of a run or config as people and programs read them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ssm/analysis/layer_report.h"
#include "ssm/plot/terminal.h"

namespace ssm {

/// One layer as it started and, of a run, as it is.
struct LayerInspection {
  std::string mixer;
  MixerKind kind = MixerKind::kTimeInvariant;
  LayerReport before;
  std::optional<LayerReport> after;
  std::vector<LayerSweepRow> sweep_before, sweep_after;  // where asked for
};

/// What is inspected, computed in double whatever a run trains in.
struct Inspection {
  std::string name, model;
  double rate_hz = 30;  // trained tokens a second
  double dt_scale = 1;
  int64_t step = -1;  // -1: of a config
  std::vector<LayerInspection> layers;
};

std::string InspectionText(const Inspection& inspection, const TerminalStyle& style, bool color);
/// Schema "ssmctl.inspect/1"; null where a number is not finite.
std::string InspectionJson(const Inspection& inspection);

/// |K_k| of a layer beside its envelope, before and after, by lag + 1; both axes logarithmic.
/// Without series where there is no kernel or it is 0 throughout.
Figure KernelFigure(const LayerInspection& layer, size_t index);

}  // namespace ssm
