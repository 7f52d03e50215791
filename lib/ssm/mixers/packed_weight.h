// Snapshots of a tape's values, as steppers keep them.
#pragma once

#include <algorithm>

#include "ssm/autograd/tape.h"
#include "ssm/kernels/packed_product.h"

namespace ssm {

/// W [out, in] on a tape, packed for products of a few rows.
template <Scalar T>
class PackedWeight {
 public:
  PackedWeight(const Tape<T>& tape, Var<T> weight)
      : out_(tape.shape(weight)[0]),
        in_(tape.shape(weight)[1]),
        packed_(Shape{kernels::PackedSize<T>(in_, out_)}) {
    kernels::PackTransposed<T>(in_, out_, tape.value(weight), nullptr, packed_.data());
  }
  /// Elements between the rows of a product: `out` and what fills its last panel.
  int64_t stride() const { return kernels::PackedColumns<T>(out_); }
  /// y [rows, stride()] = x [rows, in] W^T.
  void Multiply(int64_t rows, const T* x, T* y) const { Multiply(rows, x, in_, y); }
  /// The same with rows of x `x_stride` apart.
  void Multiply(int64_t rows, const T* x, int64_t x_stride, T* y) const {
    kernels::MultiplyPacked(rows, in_, out_, x, x_stride, packed_.data(), y);
  }

 private:
  int64_t out_, in_;
  Array<T> packed_;
};

template <Scalar T>
Array<T> CopyOf(const Tape<T>& tape, Var<T> var) {
  Array<T> copy(tape.shape(var));
  std::copy_n(tape.value(var), copy.size(), copy.data());
  return copy;
}

}  // namespace ssm
