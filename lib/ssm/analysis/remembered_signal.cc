#include "ssm/analysis/remembered_signal.h"

#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/systems/band_limited_noise.h"
#include "ssm/systems/state_readout.h"

namespace ssm {
namespace {

constexpr int64_t kFitted = 1024, kFittedPerState = 4, kHeldOut = 256;

/// The fixed slots of one row, one after the other.
void AppendRow(const State<double>& state, int64_t row, std::vector<double>& into) {
  for (const Slot<double>& slot : state.slots) {
    if (slot.spec.kind != SlotKind::kFixed) continue;
    const int64_t size = slot.data.size() / slot.rows();
    const double* from = slot.data.data() + row * size;
    into.insert(into.end(), from, from + size);
  }
}

/// The state's response to an impulse in `channel`, [window, n]: numbers that stay 0 are left out.
Matrix StateResponse(const IsolatedMixer& mixer, int64_t channel,
                     const RememberedSignalOptions& options) {
  MixerRun run(mixer, 2, options.dt_scale);  // the second row gets nothing
  std::vector<double> x(static_cast<size_t>(2 * mixer.channels()), 0.0);
  x[static_cast<size_t>(channel)] = 1;
  std::vector<std::vector<double>> states;
  std::vector<bool> reached;
  for (int64_t k = 0; k < options.window; ++k) {
    run.Step(x);
    std::fill(x.begin(), x.end(), 0.0);
    std::vector<double>& state = states.emplace_back();
    std::vector<double> rest;
    AppendRow(run.state(), 0, state);
    AppendRow(run.state(), 1, rest);
    reached.resize(state.size());
    for (size_t i = 0; i < state.size(); ++i) {
      state[i] -= rest[i];
      if (state[i] != 0) reached[i] = true;
    }
  }
  Matrix response(options.window, std::count(reached.begin(), reached.end(), true));
  for (int64_t k = 0; k < options.window; ++k) {
    int64_t column = 0;
    for (size_t i = 0; i < reached.size(); ++i) {
      if (reached[i]) response(k, column++) = states[static_cast<size_t>(k)][i];
    }
  }
  return response;
}

/// [signals, window], the newest sample first.
Matrix Pasts(const RememberedSignalOptions& options, int64_t signals) {
  const Matrix noise =
      MakeBandLimitedNoise({.samples = options.window,
                            .channels = signals,
                            .period = 8 * options.window,
                            .lines = std::max<int64_t>(1, std::llround(8 * options.cycles)),
                            .seed = options.seed});
  Matrix pasts(signals, options.window);
  for (int64_t i = 0; i < signals; ++i) {
    for (int64_t d = 0; d < options.window; ++d) pasts(i, d) = noise(options.window - 1 - d, i);
  }
  return pasts;
}

/// pasts [signals, window] times response [window, n].
Matrix States(const Matrix& pasts, const Matrix& response) {
  Matrix states(pasts.rows, response.cols);
  for (int64_t i = 0; i < pasts.rows; ++i) {
    for (int64_t d = 0; d < pasts.cols; ++d) {
      const double x = pasts(i, d);
      for (int64_t j = 0; j < response.cols; ++j) states(i, j) += x * response(d, j);
    }
  }
  return states;
}

}  // namespace

RememberedSignal RememberedSignalOf(const IsolatedMixer& mixer,
                                    const RememberedSignalOptions& options) {
  SSM_CHECK(mixer.time_invariant(), "only a time-invariant mixer is probed by impulses");
  RememberedSignal result;
  result.channels = std::min(options.channels, mixer.channels());
  result.nmse.assign(static_cast<size_t>(options.window), 0.0);
  Matrix pasts;
  for (int64_t probe = 0; probe < result.channels; ++probe) {
    const int64_t channel = probe * mixer.channels() / result.channels;
    const Matrix response = StateResponse(mixer, channel, options);
    const int64_t fitted = std::max(kFitted, kFittedPerState * response.cols);
    if (pasts.rows != fitted + kHeldOut) pasts = Pasts(options, fitted + kHeldOut);
    const ReadoutError error =
        HeldOutReadout(States(pasts, response), pasts, fitted, options.noise);
    for (size_t d = 0; d < result.nmse.size(); ++d) {
      result.nmse[d] += error.by_target[d] / static_cast<double>(result.channels);
    }
    result.total += error.total / static_cast<double>(result.channels);
    result.states = std::max(result.states, response.cols);
  }
  return result;
}

std::vector<LagOctave> ErrorByAge(const RememberedSignal& remembered) {
  std::vector<LagOctave> octaves = OctavesOf(remembered.nmse, 0);
  for (LagOctave& octave : octaves) {
    octave.share = octave.sum / static_cast<double>(octave.last - octave.first + 1);
  }
  return octaves;
}

}  // namespace ssm
