// What a linear system keeps of its past, and how it behaves when it is made to step.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ssm/analysis/lag_energy.h"
#include "ssm/systems/response_gain.h"
#include "ssm/systems/stability.h"
#include "ssm/systems/system_file.h"
#include "ssm/systems/transient_growth.h"

namespace ssm {

/// One eigenvalue a of a continuous A, or the a = ln(z) / dt that an eigenvalue z of a discrete one
/// stands for. Times are in the user's unit. Of a conjugate pair there is one.
struct ModeTimes {
  std::complex<double> pole;  // the eigenvalue as it is, a or z
  Stability verdict = Stability::kStable;
  double time_constant = 0;  // 1 / |Re a|; infinite where the mode neither decays nor grows
  double half_life = 0;      // ln 2 / -Re a; infinite unless it decays
  double frequency = 0;      // |Im a| / 2 pi, cycles a unit of time
};

/// The system as it steps.
struct SteppedReport {
  std::optional<StepRule> rule;  // none: the file's own discrete system
  /// Why the rest is not told: the rule has no A_bar at this dt. Empty otherwise.
  std::string fault;
  double radius = 0;  // max |eigenvalue of A_bar|
  StabilityReport stability;
  ResponseGain gain;       // sum_k |K_k|_inf
  TransientGrowth growth;  // |A_bar^k|_2 beside radius^k
};

/// What the state holds of white input of unit variance, in its stationary distribution, and what
/// the outputs show of it. A stable discrete system has one; of others every entry would be
/// infinite.
struct MemoryProfile {
  double h2_norm = 0;          // root of the kernel's energy sum_k |K_k|_F^2
  std::vector<double> kernel;  // |K_k|_F, k = 0, 1, ...
  /// |K_k|_F^2 by octave of lag, as shares of h2_norm^2, down to where radius^k is 1e-3 and all but
  /// 1e-6 of the energy is told, or as far as a budget of some seconds goes: the share of the
  /// outputs' variance that inputs of that age cause. NaN of a kernel that is 0 throughout.
  std::vector<LagOctave> energy;
  double later = 0;  // the share of all lags beyond; above 1e-6 where the budget ended it
  /// How well inputs of that age can be recalled from the state (MemoryCapacityOf, no noise): the
  /// sum of R^2 over the lags and inputs of the octave, and its share of the capacity.
  std::vector<LagOctave> recall;
  double capacity = 0;  // the sum over all lags: the number of states that inputs reach
  /// Descending eigenvalues of the controllability Gramian: the variance of the state along its
  /// principal directions. By the sum of them, the share each direction holds; this depends on the
  /// units of the states, unlike the next.
  std::vector<double> gramian;
  std::vector<double> spread;  // their roots, which do not leave the range of double
  /// Descending: how much of the inputs' past each direction carries into the outputs.
  std::vector<double> hankel;
  bool hankel_is_limit = false;  // the continuous system's, where a step decays too little
  /// About the relative error that rounding of A_bar leaves the above: eps / (1 - radius).
  double rounding = 0;
};

struct SystemReport {
  double dt = 0;                  // the step of everything in `steps` and `memory`
  bool chosen_dt = false;         // by DefaultStep
  std::vector<ModeTimes> modes;   // the longest lived first
  StabilityReport stability;      // of the system as it is in the file
  double numerical_abscissa = 0;  // of a continuous one's A
  double h2_norm = 0;  // of a continuous one; infinite where D is not 0 or it is not stable
  /// Of a continuous one that is stable: forward Euler is stable for dt below min 2 |Re a| / |a|^2.
  std::optional<double> forward_euler_limit;
  std::vector<SteppedReport> steps;     // all rules of a continuous system, the one of a discrete
  std::optional<MemoryProfile> memory;  // of steps.front(), where that is stable
  /// |C A_bar^k|_2 of steps.front(), k = 1, 2, ...: the largest output k steps after an initial
  /// state of length 1, without input.
  std::vector<double> initial_state;
};

/// A tenth of the shortest 1 / |a|, rounded down to 1, 2 or 5 times a power of ten; 1 for an A
/// whose eigenvalues are all 0.
double DefaultStep(const ContinuousSystem& system);

/// The system of `file`, a continuous one at `dt` by every rule (0: at DefaultStep), a discrete one
/// at its own. Powers and kernels are followed until radius^k is 1e-3 (kernels to 1e-6 of their
/// energy too), for 256 steps where it does not fall, and no further than some seconds go (2e9
/// multiplications a rule). O(n^3 steps).
/// @throws Error(kBadConfig) for a system with faults, or what Discretize(zoh) finds.
SystemReport ReportOf(const SystemFile& file, double dt = 0);

}  // namespace ssm
