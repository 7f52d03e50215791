#include "ssm/analysis/layer_kernel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

constexpr double kFaded = 1e-3;
constexpr int64_t kLeastLags = 64;
constexpr int64_t kMeetingLags = 4;

/// |K|_F and |K|_inf of one lag, added to the kernel's.
struct Response {
  int64_t channels;
  bool mixed;  // a row an impulse; else one row has all

  int64_t rows() const { return (mixed ? channels : 1) + 1; }  // the last has none

  std::vector<double> Impulses() const {
    std::vector<double> x(static_cast<size_t>(rows() * channels));
    for (int64_t c = 0; c < channels; ++c) {
      x[static_cast<size_t>((mixed ? c : 0) * channels + c)] = 1;
    }
    return x;
  }

  /// What the outputs y add to those without input, [rows - 1, channels].
  double Added(const std::vector<double>& y, int64_t row, int64_t channel) const {
    return y[static_cast<size_t>(row * channels + channel)] -
           y[static_cast<size_t>((rows() - 1) * channels + channel)];
  }

  void Count(const std::vector<double>& y, LayerKernel& kernel) const {
    double square = 0, largest = 0;
    for (int64_t c = 0; c < channels; ++c) {
      double sum = 0;
      for (int64_t row = 0; row + 1 < rows(); ++row) {
        const double k = Added(y, row, c);
        square += k * k;
        sum += std::fabs(k);
      }
      largest = std::max(largest, sum);
    }
    kernel.norms.push_back(std::sqrt(square));
    kernel.gain += largest;
  }
};

/// Whether an impulse in one channel is answered by another. Two channels differ in a bit of their
/// number: for each bit, a row has impulses where it is 0 and one where it is 1, to be heard only
/// there.
bool ChannelsMeet(const IsolatedMixer& mixer, double dt_scale) {
  const int64_t channels = mixer.channels();
  int64_t bits = 0;
  while ((int64_t{1} << bits) < channels) ++bits;
  const int64_t rows = 2 * bits + 1;  // the last has none
  const auto driven = [&](int64_t row, int64_t channel) {
    return row < 2 * bits && ((channel >> (row / 2)) & 1) == row % 2;
  };
  MixerRun run(mixer, rows, dt_scale);
  std::vector<double> x(static_cast<size_t>(rows * channels), 0.0);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t c = 0; c < channels; ++c) {
      if (driven(row, c)) x[static_cast<size_t>(row * channels + c)] = 1;
    }
  }
  for (int64_t k = 0; k < kMeetingLags; ++k) {
    const std::vector<double>& y = run.Step(x);
    std::fill(x.begin(), x.end(), 0.0);
    for (int64_t row = 0; row < 2 * bits; ++row) {
      for (int64_t c = 0; c < channels; ++c) {
        const double rest = y[static_cast<size_t>(2 * bits * channels + c)];
        if (!driven(row, c) && y[static_cast<size_t>(row * channels + c)] != rest) return true;
      }
    }
  }
  return false;
}

/// A skip is no part of what fades.
bool HasFaded(const std::vector<double>& norms) {
  const auto half = norms.begin() + std::ssize(norms) / 2;
  const double largest = *std::max_element(norms.begin() + 1, norms.end());
  return *std::max_element(half, norms.end()) <= kFaded * largest;
}

}  // namespace

LayerKernel KernelOf(const IsolatedMixer& mixer, const KernelOptions& options) {
  SSM_CHECK(mixer.time_invariant(), "only a time-invariant mixer has a kernel");
  const Response response{mixer.channels(), ChannelsMeet(mixer, options.dt_scale)};
  MixerRun run(mixer, response.rows(), options.dt_scale);
  int64_t size = 0;
  for (const Slot<double>& slot : run.state().slots) size += slot.data.size();
  // Mixing channels costs a product with each of them.
  const double cost =
      static_cast<double>(size) * static_cast<double>(response.mixed ? response.channels : 1);
  std::vector<double> x = response.Impulses();
  LayerKernel kernel;
  for (int64_t end = kLeastLags; !kernel.faded && end <= options.most_lags; end *= 2) {
    if (end > kLeastLags && static_cast<double>(end) * cost > options.budget) break;
    while (std::ssize(kernel.norms) < end) {
      response.Count(run.Step(x), kernel);
      std::fill(x.begin(), x.end(), 0.0);
    }
    kernel.faded = HasFaded(kernel.norms);
  }
  return kernel;
}

std::vector<LagOctave> EnergyByLag(const LayerKernel& kernel) {
  std::vector<double> energies;
  for (const double norm : kernel.norms) energies.push_back(norm * norm);
  return OctavesOf(energies, std::accumulate(energies.begin(), energies.end(), 0.0));
}

}  // namespace ssm
