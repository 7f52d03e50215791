// The best linear read-out of states for what caused them, scored on states it has not seen.
#pragma once

#include <cstdint>
#include <vector>

#include "ssm/systems/matrix.h"

namespace ssm {

/// Normalised mean squared errors: 1 is knowing nothing, 0 is knowing all.
struct ReadoutError {
  std::vector<double> by_target;  // sum over signals of (x - xhat)^2, by that of x^2
  double total = 0;               // the same, both summed over all targets
};

/// The R [n, targets] that minimises |X - H R|^2 + count noise^2 |S R|^2 over the first `fitted`
/// rows of `states` H [signals, n] and `targets` X [signals, targets], S = diag(root mean square of
/// each state) and count = fitted; its error on the other rows. `noise` > 0 is the standard
/// deviation, as a share of each state's own, of what could be added to the states before they are
/// read: what is held more faintly than that counts as lost. States that are 0 throughout are left
/// out. By Cholesky's factor of the scaled normal matrix, whose condition is at most n / noise^2.
/// O(signals n (n + targets) + n^3). @throws Error(kInternal) where the sizes do not fit.
ReadoutError HeldOutReadout(const Matrix& states, const Matrix& targets, int64_t fitted,
                            double noise);

}  // namespace ssm
