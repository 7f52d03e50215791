// How much of a signal the state of a layer still holds.
#pragma once

#include <cstdint>
#include <vector>

#include "ssm/analysis/isolated_mixer.h"
#include "ssm/analysis/lag_energy.h"

namespace ssm {

struct RememberedSignalOptions {
  double dt_scale = 1;
  int64_t window = 256;  // tokens
  double cycles = 8;     // highest frequency of the noise, in cycles a window
  int64_t channels = 4;  // probed at most, spread evenly over the layer's
  double noise = 1e-4;   // what is added to each state, of its own spread
  uint64_t seed = 1;     // of the signals: the same before and after training
};

/// The probe: band-limited Gaussian noise s_1 ... s_T, T = window, flat up to cycles / T a token,
/// period 8 T so that no window repeats, goes into one channel of the fresh mixer, all others
/// getting 0. From its state h_T (the real numbers of all fixed slots) the past s_{T-d}, d = 0 ..
/// T - 1, is read by the linear read-out that is best for 1,024 such signals (or 4 a state, if
/// more) and scored on 256 others: see HeldOutReadout, which defines `noise`.
struct RememberedSignal {
  std::vector<double> nmse;  // by age d: squared error over that of the signal, mean over channels
  double total = 0;          // over the whole window, mean over channels
  int64_t channels = 0;      // that were probed
  int64_t states = 0;        // real numbers of state that one channel reaches, the most of any
};

/// A projection onto N polynomials, as HiPPO's are, holds some N / pi cycles of its window (see
/// MemoryExperiment); a diagonal approximation of it, or another window than the layer's, holds
/// less from the start. The states are those a stepper reaches, computed as the sum over lags of
/// the state's response to an impulse times the signal.
/// @throws Error(kInternal) for a mixer that is not time-invariant.
RememberedSignal RememberedSignalOf(const IsolatedMixer& mixer,
                                    const RememberedSignalOptions& options = {});

/// The mean NMSE of each octave of age, in `share`.
std::vector<LagOctave> ErrorByAge(const RememberedSignal& remembered);

}  // namespace ssm
