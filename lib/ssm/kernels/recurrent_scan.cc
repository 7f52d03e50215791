#include "ssm/kernels/recurrent_scan.h"

#include <algorithm>

#include "ssm/kernels/packed_product.h"
#include "ssm/kernels/pointwise.h"
#include "ssm/kernels/recurrent_cells.h"

namespace ssm::kernels {
namespace {

/// Row `row` of an array [rows, width]; null stays null.
template <class T>
T* RowOf(T* array, int64_t row, int64_t width) {
  return array == nullptr ? nullptr : array + row * width;
}

template <class T, class Cell>
class ForwardWalk {
 public:
  ForwardWalk(const RecurrentShape& shape, const T* in, T* h, T* c, T* y,
              const RecurrentTrace<T>& trace, T* scratch)
      : shape_(shape),
        n_(shape.hidden),
        width_(shape.width()),
        in_(in),
        h_(h),
        c_(c),
        y_(y),
        trace_(trace),
        unkept_(scratch),
        products_(scratch + width_ + n_) {}

  void Run(const T* packed) {
    for (int64_t t = 0; t < shape_.steps; ++t) {
      for (int64_t row = 0; row < shape_.rows; ++row) {
        if (shape_.Position(row, t) == 0) Clear(row);
      }
      MultiplyPacked(shape_.rows, n_, width_, h_, n_, packed, products_);
      for (int64_t row = 0; row < shape_.rows; ++row) Token(row, t);
    }
  }

 private:
  void Clear(int64_t row) {
    std::fill_n(h_ + row * n_, n_, T{0});
    if (Cell::kHasMemory) std::fill_n(c_ + row * n_, n_, T{0});
  }

  void Token(int64_t row, int64_t t) {
    const int64_t token = row * shape_.steps + t;
    T *h = h_ + row * n_, *c = RowOf(c_, row, n_);
    T* gates = trace_.gates == nullptr ? unkept_ : trace_.gates + token * width_;
    T* inner = trace_.inner == nullptr ? unkept_ + width_ : trace_.inner + token * n_;
    if (shape_.Position(row, t) >= 0) {
      const T* p = products_ + row * PackedColumns<T>(width_);
      Cell::Step(n_, CellStep<T>{in_ + token * width_, p, h, c, gates, inner});
    } else if (Cell::kHasMemory) {
      std::copy_n(c, n_, inner);
    }
    std::copy_n(h, n_, y_ + token * n_);
  }

  const RecurrentShape& shape_;
  int64_t n_, width_;
  const T* in_;
  T *h_, *c_, *y_;
  RecurrentTrace<T> trace_;
  T *unkept_, *products_;
};

}  // namespace

int64_t GateCount(RecurrentCell cell) {
  return DispatchCell(cell, [](auto type) { return decltype(type)::kGates; });
}

double GateFlops(RecurrentCell cell) {
  const double sigmoid = ActivationFlops(Activation::kSigmoid) + 1;
  const double tanh = ActivationFlops(Activation::kTanh) + 1;
  switch (cell) {
    case RecurrentCell::kRnn:
      return tanh;
    case RecurrentCell::kGru:
      return 2 * sigmoid + tanh + 5;
    case RecurrentCell::kLstm:
      return 3 * sigmoid + 2 * tanh + 3;
  }
  return 0;
}

template <class T>
int64_t RecurrentScratch(const RecurrentShape& shape) {
  return shape.width() + shape.hidden + shape.rows * PackedColumns<T>(shape.width());
}

template <class T>
void RecurrentScan(const RecurrentShape& shape, const T* packed, const T* in, T* h, T* c, T* y,
                   const RecurrentTrace<T>& trace, T* scratch) {
  DispatchCell(shape.cell, [&]<class Cell>(Cell) {
    ForwardWalk<T, Cell>(shape, in, h, c, y, trace, scratch).Run(packed);
  });
}

#define SSM_INSTANTIATE(T)                                                           \
  template int64_t RecurrentScratch<T>(const RecurrentShape&);                       \
  template void RecurrentScan(const RecurrentShape&, const T*, const T*, T*, T*, T*, \
                              const RecurrentTrace<T>&, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
