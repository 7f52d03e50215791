// The (A, B) of HiPPO: c'(t) = A c(t) + B f(t) keeps a projection of a signal's past.
#pragma once

#include <string>
#include <vector>

#include "ssm/systems/matrix.h"

namespace ssm {

/// What part of the past counts, and in which basis it is kept (Gu, Dao, Ermon, Rudra and Re 2020,
/// "HiPPO"; r_i = sqrt(2i + 1), P_i Legendre's polynomials). The names in quotes are those of
/// NameOf.
enum class HippoMeasure {
  /// "legs": the whole history, evenly, in r_i P_i (HiPPO, theorem 2). A_ij = -r_i r_j for i > j,
  /// -(i + 1) on the diagonal, B_i = r_i. As a memory it runs as c' = (A c + B f) / t; S4 (Gu, Goel
  /// and Re 2022) uses the same pair without 1 / t.
  kLegS,
  /// "legt": a sliding window of length 1, evenly, in r_i P_i (HiPPO, theorem 1, and its code).
  /// A_ij = -r_i r_j for i >= j, -(-1)^(i-j) r_i r_j for i < j, B_i = r_i.
  kLegT,
  /// "legt_halved": half of kLegT, as S4's code has it, so the window has length 2.
  kLegTHalved,
  /// "lmu": the window of kLegT with Legendre's polynomials as they are (Voelker, Kajic and
  /// Eliasmith 2019, "Legendre memory units", eq. 2): A_ij = (2i+1) (-1 for i < j, (-1)^(i-j+1)
  /// else), B_i = (2i + 1) (-1)^i.
  kLmu,
  /// "lagt": all of the past in Laguerre's functions e^(-s/2) L_i(s) of the age s, which fade with
  /// it (HiPPO's and S4's code). A_ij = -1 below the diagonal, -1/2 on it, B_i = 1.
  kLagT,
  /// "glagt": all of the past in generalised Laguerre polynomials L_i^(alpha)(s), measure s^alpha
  /// e^-s, tilted by s^alpha e^(-(1 - beta) s / 2) and normalised (HiPPO, appendix D.2; alpha = 0,
  /// beta = 1 is the LagT of its theorem 1). With l_i = sqrt(Gamma(i + alpha + 1) / i!) and zeta =
  /// Gamma(1 - alpha) beta^(alpha - 1): A_ij = -l_j / l_i below the diagonal, -(1 + beta) / 2 on
  /// it, B_i = binom(i + alpha, i) / (l_i sqrt(zeta)).
  kGeneralLagT,
  /// "fout": a sliding window of length 2 in its Fourier series (Gu, Johnson, Timalsina, Rudra and
  /// Re 2023, "How to train your HiPPO", in S4's scaling). States 2k and 2k + 1 are the cosine and
  /// sine of k periods in the window: A = pi k (-1 above, 1 below) in their block, minus B B^T; B =
  /// (1, 0, sqrt 2, 0, sqrt 2, 0, ...). State 1, the sine of no period, is published and always 0.
  kFouT,
};

/// Every measure, in the order above.
const std::vector<HippoMeasure>& HippoMeasures();
const char* NameOf(HippoMeasure measure);

struct HippoOptions {
  HippoMeasure measure = HippoMeasure::kLegS;
  int64_t order = 64;  // N, the number of states, 1 to 4096; even for kFouT
  double alpha = 0;    // kGeneralLagT alone, -1 < alpha < 1
  double beta = 1;     // kGeneralLagT alone, > 0; 1 is no exponential tilt
};

/// One sentence for each fault; empty when there is none.
std::vector<std::string> FaultsOf(const HippoOptions& options);
/// @throws Error(kBadConfig) with all of FaultsOf, if there are any.
void RequireValid(const HippoOptions& options);

struct HippoPair {
  Matrix A;  // [N, N]
  Matrix B;  // [N, 1]
};

/// @throws Error(kBadConfig) for options that FaultsOf refuses. O(N^2).
HippoPair MakeHippo(const HippoOptions& options);

/// The length of the window in the time of MakeHippo's pair: 1 or 2. One for LegS (its history at
/// t = 1), infinity for kLagT and kGeneralLagT, whose time unit is their decay's.
double WindowLength(HippoMeasure measure);

}  // namespace ssm
