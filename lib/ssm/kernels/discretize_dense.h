// Discretisation of a dense system, with its gradient.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// From h' = A h + B x to h_t = A_bar h_{t-1} + B_bar x_t, x_t held over the step dt:
/// kZoh: A_bar = e^{dt A}, B_bar = (integral_0^dt e^{s A} ds) B.
/// kBilinear: M = (I - dt/2 A)^-1, A_bar = I + dt M A, B_bar = dt M B.
/// kBackwardEuler: the same with M = (I - dt A)^-1.
enum class DenseRule { kZoh, kBilinear, kBackwardEuler };

struct DenseSize {
  int64_t states = 0, inputs = 0;
};

/// Doubles of scratch that each function needs.
int64_t DiscretizeDenseScratch(const DenseSize& size);
int64_t DiscretizeDenseBackwardScratch(const DenseSize& size);
/// FLOPs, about: kZoh depends on |dt A|, here taken as 8.
double DiscretizeDenseFlops(const DenseSize& size, DenseRule rule);

/// a [n, n] and b [n, m] to a_minus_1 [n, n] = A_bar - I and b_bar [n, m].
///
/// kZoh: both blocks of exp(dt [[A, B], [0, 0]]) = [[I + E, R], [0, I]] by its series at a step h
/// with |h A| <= 1/2 and doublings R <- 2 R + E R, E <- 2 E + E^2 of the step: no inverse of A, so
/// any A is as good as a regular one, and slow modes keep their digits in E. Of an A that never
/// lengthens a state (A + A^T <= 0) no square is larger than what it came from, so rounding stays
/// at some eps |dt A|; of others it grows with the largest |e^{sA}| (systems/matrix_exponential.h
/// has a remedy, and no gradient). Steps of |dt A| > 2^40 count as that long: beyond, eps |A| of
/// rounding in A decides on phases, and decays that slow are not told from none.
/// Results are infinite or NaN where A_bar exceeds double or A is not finite, and for the other
/// rules where I - dt/2 A or I - dt A is singular. O(n^2 (n + m)) times 14 + log2 |dt A|.
void DiscretizeDense(const DenseSize& size, DenseRule rule, double dt, const double* a,
                     const double* b, double* a_minus_1, double* b_bar, double* scratch);

/// Writes dL/da [n, n] and dL/db [n, m] and returns dL/d(log dt), given dL/da_minus_1 and
/// dL/db_bar. Of kZoh dL/da is the Frechet derivative at A^T in the direction of dL/da_minus_1 (and
/// what B_bar adds), the (2, 1) block of exp(dt [[A, 0, 0], [G^T, A, B], [H^T, 0, 0]]), G and H the
/// gradients given, whose (3, 1) block is the transpose of dL/db; only blocks that are not zero or
/// known are formed. Three times the cost of DiscretizeDense.
double DiscretizeDenseBackward(const DenseSize& size, DenseRule rule, double dt, const double* a,
                               const double* b, const double* g_a_minus_1, const double* g_b_bar,
                               double* g_a, double* g_b, double* scratch);

}  // namespace ssm::kernels
