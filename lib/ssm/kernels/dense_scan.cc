#include "ssm/kernels/dense_scan.h"

#include <algorithm>

#include "ssm/kernels/gemm.h"
#include "ssm/kernels/packed_product.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

/// Steps whose part of the gradient of A is one product.
constexpr int64_t kTogether = 32;

/// The walk back through one group of states.
template <class T>
class BackwardWalk {
 public:
  BackwardWalk(const DenseScanShape& shape, int64_t group, const T* h0, const T* h, const T* gh,
               T* gu, T* scratch)
      : shape_(shape),
        n_(shape.states),
        at_(group * shape.states),
        h0_(h0),
        h_(h),
        gh_(gh),
        gu_(gu) {
    const int64_t state = shape.rows * n_;
    packed_ = scratch;
    carry_ = packed_ + PackedSize<T>(n_, n_);
    products_ = carry_ + state;
    adjoints_ = products_ + shape.rows * PackedColumns<T>(n_);
    before_ = adjoints_ + kTogether * state;
  }

  void Run(const T* a_minus_1, const T* glast, T* ga, T* gh0) {
    Pack(n_, n_, a_minus_1, packed_);
    for (int64_t row = 0; row < shape_.rows; ++row) {
      T* carry = carry_ + row * n_;
      if (glast == nullptr) std::fill_n(carry, n_, T{0});
      if (glast != nullptr) std::copy_n(glast + row * shape_.width() + at_, n_, carry);
    }
    for (int64_t end = shape_.steps; end > 0; end = std::max<int64_t>(end - kTogether, 0)) {
      const int64_t begin = std::max<int64_t>(end - kTogether, 0);
      for (int64_t t = end - 1; t >= begin; --t) Step(t, (t - begin) * shape_.rows * n_);
      if (ga == nullptr) continue;
      GemmTransposedA(n_, n_, (end - begin) * shape_.rows, adjoints_, before_, ga, Write::kAdd);
    }
    if (gh0 == nullptr) return;
    for (int64_t row = 0; row < shape_.rows; ++row) {
      Axpy(n_, T{1}, carry_ + row * n_, gh0 + row * shape_.width() + at_);
    }
  }

 private:
  int64_t At(int64_t row, int64_t t) const {
    return (row * shape_.steps + t) * shape_.width() + at_;
  }

  /// The state before token t; null: zero.
  const T* Before(int64_t row, int64_t t) const {
    if (shape_.Position(row, t) <= 0) return nullptr;
    if (t > 0) return h_ + At(row, t - 1);
    return h0_ == nullptr ? nullptr : h0_ + row * shape_.width() + at_;
  }

  /// Of a padding token the adjoint counts as zero: nothing was added or multiplied there.
  void Step(int64_t t, int64_t place) {
    T* adjoints = adjoints_ + place;
    for (int64_t row = 0; row < shape_.rows; ++row) {
      T *adjoint = adjoints + row * n_, *carry = carry_ + row * n_;
      if (gh_ != nullptr) Axpy(n_, T{1}, gh_ + At(row, t), carry);
      const bool padding = shape_.Position(row, t) < 0;
      if (padding) std::fill_n(adjoint, n_, T{0});
      if (!padding) std::copy_n(carry, n_, adjoint);
      if (!padding && gu_ != nullptr) Axpy(n_, T{1}, adjoint, gu_ + At(row, t));
      const T* before = Before(row, t);
      T* kept = before_ + place + row * n_;
      if (before == nullptr) std::fill_n(kept, n_, T{0});
      if (before != nullptr) std::copy_n(before, n_, kept);
    }
    MultiplyPacked(shape_.rows, n_, n_, adjoints, n_, packed_, products_);
    for (int64_t row = 0; row < shape_.rows; ++row) {
      T* carry = carry_ + row * n_;
      const int64_t position = shape_.Position(row, t);
      if (position == 0) std::fill_n(carry, n_, T{0});
      if (position > 0) Axpy(n_, T{1}, products_ + row * PackedColumns<T>(n_), carry);
    }
  }

  const DenseScanShape& shape_;
  int64_t n_, at_;
  const T *h0_, *h_, *gh_;
  T* gu_;
  T *packed_, *carry_, *products_, *adjoints_, *before_;
};

}  // namespace

template <class T>
int64_t DenseScanPackedSize(const DenseScanShape& shape) {
  return shape.groups * PackedSize<T>(shape.states, shape.states);
}

template <class T>
void PackDenseScan(const DenseScanShape& shape, const T* a_minus_1, T* packed) {
  const int64_t n = shape.states;
  for (int64_t g = 0; g < shape.groups; ++g) {
    PackTransposed<T>(n, n, a_minus_1 + g * n * n, nullptr, packed + g * PackedSize<T>(n, n));
  }
}

template <class T>
int64_t DenseScanScratch(const DenseScanShape& shape) {
  return shape.rows * PackedColumns<T>(shape.states);
}

template <class T>
int64_t DenseScanBackwardScratch(const DenseScanShape& shape) {
  const int64_t n = shape.states;
  return PackedSize<T>(n, n) + shape.rows * (n + PackedColumns<T>(n) + 2 * kTogether * n);
}

template <class T>
void DenseScan(const DenseScanShape& shape, const T* packed, const T* u, const T* h0, T* h,
               T* scratch) {
  const int64_t n = shape.states, width = shape.width(), row_width = shape.steps * width;
  for (int64_t g = 0; g < shape.groups; ++g) {
    const T* matrix = packed + g * PackedSize<T>(n, n);
    for (int64_t t = 0; t < shape.steps; ++t) {
      const T* before = t > 0 ? h + (t - 1) * width : h0;
      const int64_t stride = t > 0 ? row_width : width;
      if (before != nullptr) {
        MultiplyPacked(shape.rows, n, n, before + g * n, stride, matrix, scratch);
      }
      for (int64_t row = 0; row < shape.rows; ++row) {
        const int64_t position = shape.Position(row, t), at = row * row_width + t * width + g * n;
        const T* state =
            before == nullptr || position == 0 ? nullptr : before + row * stride + g * n;
        const T* product = scratch + row * PackedColumns<T>(n);
        if (position < 0) {
          if (state == nullptr) std::fill_n(h + at, n, T{0});
          if (state != nullptr && state != h + at) std::copy_n(state, n, h + at);
        } else if (state == nullptr) {
          std::copy_n(u + at, n, h + at);
        } else {
          for (int64_t i = 0; i < n; ++i) h[at + i] = state[i] + (product[i] + u[at + i]);
        }
      }
    }
  }
}

template <class T>
void DenseScanBackward(const DenseScanShape& shape, const T* a_minus_1, const T* h0, const T* h,
                       const T* gh, const T* glast, T* ga, T* gu, T* gh0, T* scratch) {
  const int64_t nn = shape.states * shape.states;
  for (int64_t g = 0; g < shape.groups; ++g) {
    BackwardWalk<T>(shape, g, h0, h, gh, gu, scratch)
        .Run(a_minus_1 + g * nn, glast, ga == nullptr ? nullptr : ga + g * nn, gh0);
  }
}

#define SSM_INSTANTIATE(T)                                                                       \
  template int64_t DenseScanPackedSize<T>(const DenseScanShape&);                                \
  template void PackDenseScan(const DenseScanShape&, const T*, T*);                              \
  template int64_t DenseScanScratch<T>(const DenseScanShape&);                                   \
  template int64_t DenseScanBackwardScratch<T>(const DenseScanShape&);                           \
  template void DenseScan(const DenseScanShape&, const T*, const T*, const T*, T*, T*);          \
  template void DenseScanBackward(const DenseScanShape&, const T*, const T*, const T*, const T*, \
                                  const T*, T*, T*, T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
