// The best approximation of a signal's past, which a HiPPO state is meant to be.
#pragma once

#include <span>

#include "ssm/systems/hippo_matrices.h"

namespace ssm {

/// The coefficients [N, channels], in HippoBasis, that minimise sum_a w(age_a) (values_a - sum_i
/// c_i g_i(age_a))^2 over the given `values` [ages, channels]. w is the density in which the basis
/// is orthogonal: even over the history (LegS) and over the window (LegT, LMU, FouT); for LagT even
/// in age, as its functions fade themselves, and age^-alpha e^(-beta age) when generalised. So each
/// age stands for an equally long stretch of time: give the middles of the samples.
///
/// By QR of the weighted basis, a block of ages at a time. O(ages N^2), memory O(N^2). @throws
/// Error(kBadConfig) for ages outside the measure's range, and where they do not determine N
/// coefficients (fewer than N of them, or N high degrees on evenly spaced ages).
Matrix FitProjection(const HippoOptions& options, std::span<const double> ages,
                     const Matrix& values);

}  // namespace ssm
