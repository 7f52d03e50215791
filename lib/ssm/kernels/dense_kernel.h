// The convolution kernel of a dense system with one input and one output.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// kernel[k] = c (1 + E)^k b for k < length, E [n, n] = A_bar - 1, step by step; states [length, n]
/// are the (1 + E)^k b. Errors grow as rounding does in the recurrence itself. Cost 2 length n^2
/// FLOPs.
void DenseKernel(int64_t n, int64_t length, const double* a_minus_1, const double* b,
                 const double* c, double* kernel, double* states);

/// Adds to g_a [n, n], g_b and g_c [n], given the states and dL/dkernel. adjoints: [length, n] of
/// scratch. Twice the cost, half of it one product.
void DenseKernelBackward(int64_t n, int64_t length, const double* a_minus_1, const double* c,
                         const double* states, const double* g_kernel, double* g_a, double* g_b,
                         double* g_c, double* adjoints);

}  // namespace ssm::kernels
