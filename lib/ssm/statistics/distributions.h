// Distribution functions and quantiles, to near double precision.
#pragma once

namespace ssm {

/// P(Z <= x) of the standard normal; the lower tail keeps its relative precision.
double NormalCdf(double x);
/// x with NormalCdf(x) = p; -inf at 0, +inf at 1, NaN outside [0, 1]. Abramowitz & Stegun 1964,
/// 26.2.22, polished by three Halley steps.
double NormalQuantile(double p);

/// Regularised incomplete beta I_x(a, b), a > 0, b > 0; x outside [0, 1] is clamped. Continued
/// fraction (DiDonato & Morris 1992, ACM Trans. Math. Softw. 18:360) behind a prefactor in deviance
/// form (Loader 2000, "Fast and accurate computation of binomial probabilities"), so large a and b
/// lose no digits. O(sqrt(max(a, b))).
double BetaCdf(double x, double a, double b);
/// x with BetaCdf(x, a, b) = p.
double BetaQuantile(double p, double a, double b);

/// P(T <= t) of Student's t, dof > 0; dof = inf is the normal. DLMF 8.17 through BetaCdf.
double StudentCdf(double t, double dof);
/// t with StudentCdf(t, dof) = p.
double StudentQuantile(double p, double dof);

/// P(X <= k) of a binomial with n trials; 0 below k = 0, 1 from k = n on. O(sqrt(n)).
double BinomialCdf(double k, double n, double p);

}  // namespace ssm
