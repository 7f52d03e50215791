// What the cases of ops over diagonal minus rank-one systems share.
#pragma once

#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {

/// log_dt [D], log_A_real [D, M], A_imag [D, M], P [D, M, 2], B [D, M, 2]: moderate, stable.
std::vector<Array<double>> DplrCaseParameters(const std::string& label, const CaseSizes& sizes);

/// a - 1, v, f and b, from both of every conjugate pair: (1 - h A)^-1 by Gauss's elimination on the
/// dense matrix A = Lambda - P P*, whose action on P and B gives v and b.
std::vector<Array<double>> NaiveDiscretizeDplr(const CaseSizes& sizes, double dt_scale,
                                               std::span<const Array<double>> parameters);

/// One step of channel d, written out: x = a x - v phi(x) + b u. Arrays as NaiveDiscretizeDplr's.
void NaiveDplrStep(const CaseSizes& sizes, std::span<const Array<double>> steps, int64_t d,
                   double u, std::vector<Complex>& x);

}  // namespace ssm
