#include "ssm/mixers/hippo_modes.h"

#include <algorithm>
#include <complex>

#include "ssm/base/errors.h"
#include "ssm/systems/modal_form.h"

namespace ssm {
namespace {

/// The pair without FouT's state 1, the sine of no period.
ContinuousSystem LiveSystem(const HippoOptions& options) {
  const HippoPair pair = MakeHippo(options);
  std::vector<int64_t> live;
  for (int64_t i = 0; i < options.order; ++i) {
    if (options.measure != HippoMeasure::kFouT || i != 1) live.push_back(i);
  }
  const auto n = static_cast<int64_t>(live.size());
  ContinuousSystem system{Matrix(n, n), Matrix(n, 1), Matrix(0, n), Matrix(0, 1)};
  for (int64_t i = 0; i < n; ++i) {
    const int64_t row = live[static_cast<size_t>(i)];
    for (int64_t j = 0; j < n; ++j) system.A(i, j) = pair.A(row, live[static_cast<size_t>(j)]);
    system.B(i, 0) = pair.B(row, 0);
  }
  return system;
}

}  // namespace

std::vector<LinearMode> HippoModes(const HippoOptions& options, StepRule rule, double dt) {
  const ContinuousSystem system = LiveSystem(options);
  ContinuousModalSystem modal;
  try {
    modal = ModalFormOf(system).system;
  } catch (const Error&) {
    return {};  // too far from normal
  }
  std::vector<LinearMode> all;
  for (size_t i = 0; i < modal.modes.size(); ++i) {
    const std::complex<double> pole = modal.modes[i].pole;
    LinearMode mode;
    mode.pole = pole;
    mode.dt = dt;
    mode.multiplier = MapPole(rule, pole, dt);
    mode.decay = -LogGrowth(rule, pole, dt);
    mode.write = std::abs(InputWeight(rule, pole, dt) * modal.B(static_cast<int64_t>(i), 0));
    all.push_back(mode);
  }
  std::stable_sort(all.begin(), all.end(), [](const LinearMode& a, const LinearMode& b) {
    return a.pole.imag() < b.pole.imag();
  });
  return all;
}

}  // namespace ssm
