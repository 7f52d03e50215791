#include <algorithm>

#include "ssm/kernels/gemm.h"
#include "ssm/kernels/packed_product.h"
#include "ssm/kernels/pointwise.h"
#include "ssm/kernels/recurrent_cells.h"
#include "ssm/kernels/recurrent_scan.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

template <class T, class Cell>
class BackwardWalk {
 public:
  BackwardWalk(const RecurrentShape& shape, const RecurrentPass<T>& pass,
               const RecurrentCotangents<T>& cotangents, const RecurrentGradients<T>& gradients,
               T* scratch)
      : shape_(shape),
        n_(shape.hidden),
        width_(shape.width()),
        pass_(pass),
        cotangents_(cotangents),
        gradients_(gradients) {
    const int64_t state = shape.rows * n_;
    zeros_ = scratch;
    g_in_n_ = zeros_ + n_;
    gh_ = g_in_n_ + n_;
    gc_ = gh_ + state;
    products_ = gc_ + state;
    packed_ = products_ + shape.rows * PackedColumns<T>(n_);
    std::fill_n(zeros_, n_, T{0});
    Start(cotangents.h, gh_);
    Start(cotangents.c, gc_);
  }

  void Run() {
    Pack(width_, n_, pass_.weight, packed_);
    for (int64_t t = shape_.steps - 1; t >= 0; --t) {
      for (int64_t row = 0; row < shape_.rows; ++row) Token(row, t);
      T* gates = pass_.trace.gates + t * width_;
      MultiplyPacked(shape_.rows, width_, n_, gates, shape_.steps * width_, packed_, products_);
      for (int64_t row = 0; row < shape_.rows; ++row) HandOn(row, t);
    }
    const int64_t state = shape_.rows * n_;
    if (gradients_.h0 != nullptr) Axpy(state, T{1}, gh_, gradients_.h0);
    if (gradients_.c0 != nullptr) Axpy(state, T{1}, gc_, gradients_.c0);
    AddWeights();
  }

 private:
  void Start(const T* from, T* to) const {
    const int64_t state = shape_.rows * n_;
    if (from == nullptr) std::fill_n(to, state, T{0});
    if (from != nullptr) std::copy_n(from, state, to);
  }

  /// What stood before token t: `states` [rows, steps, hidden] holds the states after tokens.
  const T* Before(int64_t row, int64_t t, const T* states, const T* first) const {
    if (shape_.Position(row, t) == 0 || (t == 0 && first == nullptr)) return zeros_;
    return t == 0 ? first + row * n_ : states + (row * shape_.steps + t - 1) * n_;
  }

  /// Leaves the gradient of W_hh h + b in `gates` and the h it came from in `inner`.
  void Token(int64_t row, int64_t t) {
    const int64_t token = row * shape_.steps + t;
    T *gates = pass_.trace.gates + token * width_, *inner = pass_.trace.inner + token * n_;
    T* gh = gh_ + row * n_;
    if (cotangents_.y != nullptr) Axpy(n_, T{1}, cotangents_.y + token * n_, gh);
    if (shape_.Position(row, t) < 0) {
      std::fill_n(gates, width_, T{0});
      std::fill_n(inner, n_, T{0});
      return;
    }
    const T* h_before = Before(row, t, pass_.y, pass_.h0);
    const T* c_before = Cell::kHasMemory ? Before(row, t, pass_.trace.inner, pass_.c0) : nullptr;
    Cell::Back(n_, CellGradient<T>{gates, inner, pass_.y + token * n_, h_before, c_before, gh,
                                   gc_ + row * n_, g_in_n_});
    if (gradients_.in != nullptr) AddIn(gates, gradients_.in + token * width_);
    std::copy_n(h_before, n_, inner);
  }

  void AddIn(const T* gates, T* into) const {
    const int64_t shared = Cell::kSplitsIn ? width_ - n_ : width_;
    Axpy(shared, T{1}, gates, into);
    if (Cell::kSplitsIn) Axpy(n_, T{1}, g_in_n_, into + shared);
  }

  /// The gradient of the state before token t.
  void HandOn(int64_t row, int64_t t) {
    T *gh = gh_ + row * n_, *gc = gc_ + row * n_;
    const int64_t position = shape_.Position(row, t);
    if (position > 0) Axpy(n_, T{1}, products_ + row * PackedColumns<T>(n_), gh);
    if (position != 0) return;
    std::fill_n(gh, n_, T{0});
    std::fill_n(gc, n_, T{0});
  }

  void AddWeights() const {
    const int64_t tokens = shape_.tokens();
    const T *gates = pass_.trace.gates, *before = pass_.trace.inner;
    if (gradients_.weight != nullptr) {
      GemmTransposedA(width_, n_, tokens, gates, before, gradients_.weight, Write::kAdd);
    }
    if (gradients_.bias != nullptr) SumRows(tokens, width_, gates, gradients_.bias);
  }

  const RecurrentShape& shape_;
  int64_t n_, width_;
  const RecurrentPass<T>& pass_;
  const RecurrentCotangents<T>& cotangents_;
  const RecurrentGradients<T>& gradients_;
  T *zeros_, *g_in_n_, *gh_, *gc_, *products_, *packed_;
};

}  // namespace

template <class T>
int64_t RecurrentBackwardScratch(const RecurrentShape& shape) {
  const int64_t n = shape.hidden;
  return 2 * n + 2 * shape.rows * n + shape.rows * PackedColumns<T>(n) +
         PackedSize<T>(shape.width(), n);
}

template <class T>
void RecurrentScanBackward(const RecurrentShape& shape, const RecurrentPass<T>& pass,
                           const RecurrentCotangents<T>& cotangents,
                           const RecurrentGradients<T>& gradients, T* scratch) {
  DispatchCell(shape.cell, [&]<class Cell>(Cell) {
    BackwardWalk<T, Cell>(shape, pass, cotangents, gradients, scratch).Run();
  });
}

#define SSM_INSTANTIATE(T)                                                                         \
  template int64_t RecurrentBackwardScratch<T>(const RecurrentShape&);                             \
  template void RecurrentScanBackward(const RecurrentShape&, const RecurrentPass<T>&,              \
                                      const RecurrentCotangents<T>&, const RecurrentGradients<T>&, \
                                      T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
