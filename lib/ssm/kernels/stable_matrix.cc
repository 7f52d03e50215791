#include "ssm/kernels/stable_matrix.h"

#include "ssm/kernels/gemm.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

/// x <- x - x^T.
void MakeSkew(int64_t n, double* x) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      const double skew = x[i * n + j] - x[j * n + i];
      x[i * n + j] = skew;
      x[j * n + i] = -skew;
    }
    x[i * n + i] = 0;
  }
}

}  // namespace

void StableMatrix(int64_t n, int64_t rank, double margin, const double* p, double* a,
                  double* scratch) {
  MakeSkew(n, a);
  GemmTransposedB(n, n, rank, p, p, scratch, Write::kAssign);
  Axpy(n * n, -1.0, scratch, a);
  for (int64_t i = 0; i < n; ++i) a[i * n + i] -= margin;
}

void StableMatrixBackward(int64_t n, int64_t rank, const double* p, double* g, double* g_p,
                          double* scratch) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) scratch[i * n + j] = -g[i * n + j] - g[j * n + i];
  }
  Gemm(n, rank, n, scratch, p, g_p, Write::kAssign);
  MakeSkew(n, g);
}

}  // namespace ssm::kernels
