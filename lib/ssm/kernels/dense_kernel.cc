#include "ssm/kernels/dense_kernel.h"

#include <algorithm>

#include "ssm/kernels/gemm.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {

void DenseKernel(int64_t n, int64_t length, const double* a_minus_1, const double* b,
                 const double* c, double* kernel, double* states) {
  for (int64_t k = 0; k < length; ++k) {
    double* state = states + k * n;
    std::copy_n(k == 0 ? b : state - n, n, state);
    if (k > 0) Gemv(n, n, a_minus_1, state - n, state, true);
    kernel[k] = Dot(n, c, state);
  }
}

void DenseKernelBackward(int64_t n, int64_t length, const double* a_minus_1, const double* c,
                         const double* states, const double* g_kernel, double* g_a, double* g_b,
                         double* g_c, double* adjoints) {
  if (length == 0) return;
  for (int64_t k = length - 1; k >= 0; --k) {
    double* adjoint = adjoints + k * n;
    for (int64_t i = 0; i < n; ++i) adjoint[i] = g_kernel[k] * c[i];
    Axpy(n, g_kernel[k], states + k * n, g_c);
    if (k + 1 == length) continue;
    Axpy(n, 1.0, adjoint + n, adjoint);
    Gemm(1, n, n, adjoint + n, a_minus_1, adjoint, Write::kAdd);
  }
  GemmTransposedA(n, n, length - 1, adjoints + n, states, g_a, Write::kAdd);
  Axpy(n, 1.0, adjoints, g_b);
}

}  // namespace ssm::kernels
