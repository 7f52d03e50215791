// Whether a linear system's modes die out, and why.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "ssm/systems/linear_system.h"
#include "ssm/systems/modal_system.h"
#include "ssm/systems/step_rule.h"

namespace ssm {

enum class Stability {
  kStable,    // every mode decays
  kMarginal,  // none grows, one lasts
  kUnstable,  // one grows, be it as a power of time
};
/// "stable", "marginal", "unstable".
const char* NameOf(Stability stability);

struct ModeStability {
  /// Of the continuous system where one was given, else of the discrete one.
  std::complex<double> pole;
  /// ln of the factor by which the mode grows: a unit of time of a continuous system (Re pole), a
  /// step of a discrete one (ln |A_bar's eigenvalue|; -inf for a mode gone after one step).
  double log_growth = 0;
  Stability verdict = Stability::kStable;
};

struct StabilityReport {
  Stability verdict = Stability::kStable;
  /// The longest lived first: by Re pole (continuous systems, discretised or not) or |pole|.
  std::vector<ModeStability> modes;
  /// "forward_euler, dt = 0.1: |1 + dt lambda| = 1.7 for mode 3 of 4, lambda = -27".
  std::string reason;

  /// "unstable: REASON. This layer only: says nothing of activations or gradients around it."
  std::string Text() const;
};

/// A mode lasts where its growth is 0 to within the rounding of the eigenvalues (exactly so where A
/// is triangular or diagonal). Lasting modes that are short of eigenvectors, as a double
/// integrator's are, grow like a power of time: unstable. O(n^3).
/// @throws Error(kBadConfig) for a system with faults.
StabilityReport StabilityOf(const ContinuousSystem& system);
StabilityReport StabilityOf(const DiscreteSystem& system);
StabilityReport StabilityOf(const ContinuousModalSystem& system);
StabilityReport StabilityOf(const DiscreteModalSystem& system);

/// Of what Discretize(system, dt, rule) gives, by mapping the continuous poles: the verdict is
/// exact on the boundary, where eigenvalues of A_bar would be rounded.
StabilityReport StabilityOf(const ContinuousSystem& system, double dt, StepRule rule);
StabilityReport StabilityOf(const ContinuousModalSystem& system, double dt, StepRule rule);

}  // namespace ssm
