#include "ssm/analysis/layer_report.h"

#include <limits>

namespace ssm {

LayerReport ReportOf(const IsolatedMixer& mixer, double dt_scale) {
  LayerReport report;
  report.modes = mixer.Modes(dt_scale);
  if (!mixer.time_invariant()) return report;
  report.kernel = KernelOf(mixer, {.dt_scale = dt_scale});
  report.remembered = RememberedSignalOf(mixer, {.dt_scale = dt_scale});
  return report;
}

std::vector<LayerSweepRow> SweepScales(const IsolatedMixer& mixer,
                                       std::span<const double> dt_scales) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::vector<LayerSweepRow> rows;
  for (const double dt_scale : dt_scales) {
    KernelOptions options{.dt_scale = dt_scale};
    options.budget /= 8;
    const LayerKernel kernel = KernelOf(mixer, options);
    const ModeSummary modes = Summarise(mixer.Modes(dt_scale));
    const bool any = modes.modes > 0;
    rows.push_back({dt_scale, any ? modes.radius.most : kNone,
                    any ? modes.half_life : Spread{kNone, kNone, kNone}, kernel.gain,
                    kernel.faded});
  }
  return rows;
}

}  // namespace ssm
