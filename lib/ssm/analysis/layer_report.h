// What one layer of a model keeps, in numbers.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ssm/analysis/layer_kernel.h"
#include "ssm/analysis/mode_summary.h"
#include "ssm/analysis/remembered_signal.h"

namespace ssm {

/// A layer with one set of values.
struct LayerReport {
  std::vector<LinearMode> modes;      // none of a layer that is not diagonal, linear and fixed
  std::optional<LayerKernel> kernel;  // of a time-invariant layer
  std::optional<RememberedSignal> remembered;  // the same
};
LayerReport ReportOf(const IsolatedMixer& mixer, double dt_scale);

/// The same layer at another rate.
struct LayerSweepRow {
  double dt_scale = 1;
  double radius = 0;  // max |multiplier|; NaN without modes
  Spread half_life;   // tokens; NaN without modes
  double gain = 0;    // KernelOf's
  bool faded = true;  // whether all of it is in the gain
};
/// For a time-invariant mixer; kernels get an eighth of the usual budget.
std::vector<LayerSweepRow> SweepScales(const IsolatedMixer& mixer,
                                       std::span<const double> dt_scales);

}  // namespace ssm
