// The functions of age that a HiPPO state is written in, and the signal it remembers.
#pragma once

#include <span>

#include "ssm/systems/hippo_matrices.h"

namespace ssm {

/// g_i(age) for each age, [ages, N], such that a state c remembers f(age) = sum_i c_i g_i(age).
/// Age 0 is now. For LegS it is a share of the history, for LegT, LMU and FouT a share of the
/// window, 0 to 1; for LagT it is a time, 0 or more (above 0 where alpha < 0: the tilt has a pole).
///
/// LegS, LegT: r_i P_i(1 - 2 age). LMU: P_i(2 age - 1). LagT: e^(-age/2) L_i(age). Generalised
/// LagT: sqrt(zeta) age^alpha e^(-(1 - beta) age / 2) L_i^(alpha)(age) / l_i. FouT: 1, 0, then sqrt
/// 2 times cosine and sine of 2 pi k age. (HippoMeasure tells what r, l and zeta are.)
///
/// By the three-term recurrences, O(ages N), without overflow for any age.
/// @throws Error(kBadConfig) for an age outside the range, or options that are not valid.
Matrix HippoBasis(const HippoOptions& options, std::span<const double> ages);

/// The remembered signals at those ages, [ages, channels], from `coefficients` [N, channels].
/// @throws as HippoBasis does. O(ages N channels).
Matrix Reconstruct(const HippoOptions& options, const Matrix& coefficients,
                   std::span<const double> ages);

}  // namespace ssm
