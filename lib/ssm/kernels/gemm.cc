// Eigen packs panels of both factors. Below this limit it puts them on the stack, so that products
// allocate nothing and packing needs no lock; with the cache sizes pinned below they need at most
// 2 MB together.
#define EIGEN_STACK_ALLOCATION_LIMIT (4 * 1024 * 1024)

#include "ssm/kernels/gemm.h"

#include <Eigen/Core>
#include <algorithm>

#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using View = Eigen::Map<const Matrix<T>>;
template <class T>
using Target = Eigen::Map<Matrix<T>>;

constexpr int64_t kFewRows = 8;
/// Rows of B that stay in cache while all rows of A pass: a multiple of Gemv's own groups of 4, so
/// that cuts change no bit.
constexpr int64_t kPanel = 64;

/// Eigen blocks by the cache sizes it detects, and the blocks decide in which order it sums:
/// pinned, bits do not depend on the machine's caches.
void PinCacheSizes() {
  static const bool pinned = [] {
    Eigen::setCpuCacheSizes(32 * 1024, 512 * 1024, 1024 * 1024);
    return true;
  }();
  static_cast<void>(pinned);
}

template <class Product, class T>
void Store(const Product& product, Target<T> c, Write write) {
  PinCacheSizes();
  if (write == Write::kAssign) {
    c.noalias() = product;
  } else {
    c.noalias() += product;
  }
}

/// Whether an axis is empty; then what is left to do has been done.
template <class T>
bool Empty(int64_t m, int64_t n, int64_t k, T* c, Write write) {
  if (m > 0 && n > 0 && k > 0) return false;
  if (write == Write::kAssign) std::fill_n(c, m * n, T{0});
  return true;
}

}  // namespace

template <class T>
void Gemm(int64_t m, int64_t n, int64_t k, const T* a, const T* b, T* c, Write write) {
  if (Empty(m, n, k, c, write)) return;
  Store(View<T>(a, m, k) * View<T>(b, k, n), Target<T>(c, m, n), write);
}

template <class T>
void GemmTransposedB(int64_t m, int64_t n, int64_t k, const T* a, const T* b, T* c, Write write) {
  if (Empty(m, n, k, c, write)) return;
  if (m <= kFewRows) {
    for (int64_t i = 0; i < m; ++i) Gemv(n, k, b, a + i * k, c + i * n, write == Write::kAdd);
  } else {
    Store(View<T>(a, m, k) * View<T>(b, n, k).transpose(), Target<T>(c, m, n), write);
  }
}

template <class T>
void GemmTransposedBByRow(int64_t m, int64_t n, int64_t k, const T* a, const T* b, T* c,
                          Write write) {
  if (Empty(m, n, k, c, write)) return;
  for (int64_t j = 0; j < n; j += kPanel) {
    for (int64_t i = 0; i < m; ++i) {
      Gemv(std::min(kPanel, n - j), k, b + j * k, a + i * k, c + i * n + j, write == Write::kAdd);
    }
  }
}

template <class T>
void GemmTransposedA(int64_t m, int64_t n, int64_t k, const T* a, const T* b, T* c, Write write) {
  if (Empty(m, n, k, c, write)) return;
  Store(View<T>(a, k, m).transpose() * View<T>(b, k, n), Target<T>(c, m, n), write);
}

#define SSM_INSTANTIATE(T)                                                                      \
  template void Gemm(int64_t, int64_t, int64_t, const T*, const T*, T*, Write);                 \
  template void GemmTransposedB(int64_t, int64_t, int64_t, const T*, const T*, T*, Write);      \
  template void GemmTransposedBByRow(int64_t, int64_t, int64_t, const T*, const T*, T*, Write); \
  template void GemmTransposedA(int64_t, int64_t, int64_t, const T*, const T*, T*, Write);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
