#include "ssm/systems/memory_experiment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/systems/band_limited_noise.h"
#include "ssm/systems/hippo_basis.h"
#include "ssm/systems/hippo_projection.h"
#include "ssm/systems/projection_fit.h"

namespace ssm {
namespace {

constexpr int64_t kWindows = 8, kFirstRead = 3;
constexpr int64_t kTimes = 2 * (kWindows - kFirstRead) + 1;  // every half a window

std::span<const double> Row(const Matrix& matrix, int64_t t) {
  return std::span(matrix.values)
      .subspan(static_cast<size_t>(t * matrix.cols), static_cast<size_t>(matrix.cols));
}

/// The larger of `largest` and any |c_i|; a NaN stays.
double LargestOf(const Matrix& c, double largest) {
  for (const double value : c.values) {
    if (!(std::abs(value) <= largest) && !std::isnan(largest)) largest = std::abs(value);
  }
  return largest;
}

/// What is compared: states and the pasts they should give back, one column each.
struct Readouts {
  Matrix states;  // [N, columns]
  Matrix pasts;   // [window, columns], newest first
  int64_t filled = 0;

  Readouts(const MemoryExperiment& e, int64_t times)
      : states(e.memory.order, times * e.signals), pasts(e.window, times * e.signals) {}

  /// `c` after the first `end` samples.
  void Add(const Matrix& c, const Matrix& signal, int64_t end) {
    for (int64_t k = 0; k < c.cols; ++k, ++filled) {
      for (int64_t i = 0; i < c.rows; ++i) states(i, filled) = c(i, k);
      for (int64_t d = 0; d < pasts.rows; ++d) pasts(d, filled) = signal(end - 1 - d, k);
    }
  }
};

std::vector<double> AgesOf(int64_t window, double offset, double length) {
  std::vector<double> ages(static_cast<size_t>(window));
  for (size_t d = 0; d < ages.size(); ++d) {
    ages[d] = std::min(1.0, (static_cast<double>(d) + offset) / length);
  }
  return ages;
}

/// The root mean square of what `coefficients` do not give back, over that of the pasts.
double Nrmse(const MemoryExperiment& e, const Matrix& coefficients, std::span<const double> ages,
             const Matrix& pasts) {
  const Matrix remembered = Reconstruct(e.memory, coefficients, ages);
  double error = 0, signal = 0;
  for (size_t i = 0; i < pasts.values.size(); ++i) {
    const double x = pasts.values[i], difference = remembered.values[i] - x;
    error += difference * difference;
    signal += x * x;
  }
  return std::sqrt(error / signal);
}

void Compare(const MemoryExperiment& e, const Readouts& readouts, std::span<const double> ages,
             MemoryResult& result) {
  result.nrmse = Nrmse(e, readouts.states, ages, readouts.pasts);
  const Matrix fit = FitProjection(e.memory, ages, readouts.pasts);
  result.fit_nrmse = Nrmse(e, fit, ages, readouts.pasts);
  result.readouts = readouts.filled / e.signals;
}

MemoryResult ReadHistory(const MemoryExperiment& e, const Matrix& signal) {
  MemoryResult result;
  LegsProjection projection(e.memory.order, e.signals, e.rule, e.start);
  for (int64_t t = 0; t < e.window; ++t) {
    projection.Step(Row(signal, t));
    result.largest_c = LargestOf(projection.coefficients(), result.largest_c);
  }
  Readouts readouts(e, 1);
  readouts.Add(projection.coefficients(), signal, e.window);
  Compare(e, readouts, AgesOf(e.window, e.read_offset, projection.history()), result);
  return result;
}

MemoryResult ReadWindows(const MemoryExperiment& e, const Matrix& signal) {
  MemoryResult result;
  const double window = static_cast<double>(e.window);
  HippoProjection projection(e.memory, e.signals, e.rule, WindowLength(e.memory.measure) / window);
  Readouts readouts(e, kTimes);
  int64_t read = 0;
  for (int64_t t = 1; t <= signal.rows; ++t) {
    projection.Step(Row(signal, t - 1));
    result.largest_c = LargestOf(projection.coefficients(), result.largest_c);
    if (t != kFirstRead * e.window + read * e.window / 2) continue;
    readouts.Add(projection.coefficients(), signal, t);
    ++read;
  }
  Compare(e, readouts, AgesOf(e.window, e.read_offset, window), result);
  return result;
}

}  // namespace

std::vector<std::string> FaultsOf(const MemoryExperiment& e) {
  std::vector<std::string> faults = FaultsOf(e.memory);
  if (!std::isfinite(WindowLength(e.memory.measure))) {
    faults.push_back(fmt::format(
        "memory is {}, which has no window to be read; give legs, legt, legt_halved, lmu or fout",
        NameOf(e.memory.measure)));
  }
  if (e.window < 2 || e.window < e.memory.order) {
    faults.push_back(fmt::format("window is {} samples; it is at least 2 and the order of {}",
                                 e.window, e.memory.order));
  }
  const double lowest = 1.0 / kWindows, highest = static_cast<double>(e.window) / 2;
  if (!(e.cycles >= lowest && e.cycles <= highest)) {
    faults.push_back(
        fmt::format("cycles is {}; it is {} to half the window, {}", e.cycles, lowest, highest));
  }
  if (e.signals < 1) faults.push_back(fmt::format("signals is {}; it is 1 or more", e.signals));
  if (!(e.read_offset >= 0 && e.read_offset <= 1)) {
    faults.push_back(fmt::format("read_offset is {}; it is 0 to 1", e.read_offset));
  }
  return faults;
}

MemoryResult RunMemoryExperiment(const MemoryExperiment& experiment) {
  const std::vector<std::string> faults = FaultsOf(experiment);
  if (!faults.empty()) {
    Fail(ExitCode::kBadConfig, fmt::format("memory experiment: {}", fmt::join(faults, "; ")));
  }
  const bool history = experiment.memory.measure == HippoMeasure::kLegS;
  const int64_t period = kWindows * experiment.window;
  const Matrix signal = MakeBandLimitedNoise(
      {.samples = history ? experiment.window : period,
       .channels = experiment.signals,
       .period = period,
       .lines = static_cast<int64_t>(std::floor(experiment.cycles * static_cast<double>(kWindows))),
       .seed = experiment.seed});
  return (history ? ReadHistory : ReadWindows)(experiment, signal);
}

}  // namespace ssm
