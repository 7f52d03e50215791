// A matrix that is stable whatever its parameters are.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// A [n, n] = W - W^T - P P^T - margin I, P [n, rank], given W in `a`, which is overwritten.
/// A + A^T <= -2 margin, so |e^{tA}| <= e^{-margin t}; and every A with A + A^T < -2 margin is of
/// this form. Scratch [n, n].
void StableMatrix(int64_t n, int64_t rank, double margin, const double* p, double* a,
                  double* scratch);

/// From G = dL/dA in `g`: dL/dW = G - G^T in its place, and dL/dP = -(G + G^T) P in g_p [n, rank].
void StableMatrixBackward(int64_t n, int64_t rank, const double* p, double* g, double* g_p,
                          double* scratch);

}  // namespace ssm::kernels
