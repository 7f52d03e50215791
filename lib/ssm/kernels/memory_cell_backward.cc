#include <algorithm>

#include "ssm/kernels/gemm.h"
#include "ssm/kernels/memory_cell.h"
#include "ssm/kernels/packed_product.h"
#include "ssm/kernels/slices.h"

namespace ssm::kernels {
namespace {

/// gates leaves as the gradient of p, gh as what reaches the state before directly. h [H] is the
/// state after, before [H] the one before.
template <class T>
void StepCellBack(const MemoryCellShape& s, const T* h, const T* before, T* gates, T* gh) {
  const int64_t n = s.hidden;
  if (s.cell == MemoryCell::kTanh) {
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) {
      gates[j] = gh[j] * (1 - h[j] * h[j]);
      gh[j] = 0;
    }
    return;
  }
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    const T candidate = gates[j], gate = gates[n + j], g = gh[j];
    gates[j] = g * gate * (1 - candidate * candidate);
    gates[n + j] = g * (candidate - before[j]) * gate * (1 - gate);
    gh[j] = g * (1 - gate);
  }
}

template <class T>
class Walk {
 public:
  Walk(const MemoryCellShape& shape, const MemoryCellPass<T>& pass,
       const MemoryCellGradients<T>& gradients, T* scratch)
      : s_(shape),
        rows_(shape.scan.rows),
        steps_(shape.scan.steps),
        many_(shape.memories()),
        n_(shape.hidden),
        pass_(pass),
        gradients_(gradients) {
    const auto take = [&scratch](int64_t size) {
      T* taken = scratch;
      scratch += size;
      return taken;
    };
    spare_ = take(MemoryStepScratch<T>(s_.scan.memory, rows_));
    gh_ = take(rows_ * n_);
    gc_ = take(rows_ * s_.kept());
    gu_ = take(rows_ * many_);
    gp_ = take(rows_ * s_.width());
    before_ = take(s_.tokens() * n_);
    product_ = take(rows_ * std::max(PackedColumns<T>(s_.kept()), PackedColumns<T>(n_)));
    encode_h_ = take(PackedSize<T>(many_, n_));
    encode_c_ = take(s_.encodes_c ? PackedSize<T>(many_, s_.kept()) : 0);
    weight_c_ = take(PackedSize<T>(s_.width(), s_.kept()));
    weight_h_ = take(s_.recurs ? PackedSize<T>(s_.width(), n_) : 0);
    kept_ = take(s_.scan.trained ? s_.tokens() * s_.kept() : 0);
  }

  void Run() {
    Pack(many_, n_, pass_.weights.encode_h, encode_h_);
    if (s_.encodes_c) Pack(many_, s_.kept(), pass_.weights.encode_c, encode_c_);
    Pack(s_.width(), s_.kept(), pass_.weights.weight_c, weight_c_);
    if (s_.recurs) Pack(s_.width(), n_, pass_.weights.weight_h, weight_h_);
    Start(pass_.grad_h, rows_ * n_, gh_);
    Start(pass_.grad_c, rows_ * s_.kept(), gc_);
    for (int64_t t = steps_ - 1; t >= 0; --t) Token(t);
    if (gradients_.h0 != nullptr) Axpy(rows_ * n_, T{1}, gh_, gradients_.h0);
    if (gradients_.c0 != nullptr) Axpy(rows_ * s_.kept(), T{1}, gc_, gradients_.c0);
    AddWeights();
  }

 private:
  static void Start(const T* from, int64_t size, T* to) {
    if (from == nullptr) std::fill_n(to, size, T{0});
    if (from != nullptr) std::copy_n(from, size, to);
  }

  void Token(int64_t t) {
    const MemoryPositions positions = s_.scan.At(t);
    if (pass_.grad_y != nullptr) AddFromSlice(rows_, steps_, t, n_, pass_.grad_y, gh_);
    for (int64_t row = 0; row < rows_; ++row) Cell(row, t, positions.At(row));
    GatherSlice(rows_, steps_, t, s_.width(), pass_.trace.gates, gp_);
    Add(s_.width(), s_.kept(), gp_, weight_c_, gc_);
    if (s_.recurs) Add(s_.width(), n_, gp_, weight_h_, gh_);
    if (s_.scan.trained) {
      KeepForCoefficients(s_.scan, t, gc_, pass_.trace.u, kept_, gradients_.b_bar);
    }
    StepMemoryBack(s_.scan.memory, pass_.coefficients, rows_, positions, gc_, gu_, spare_);
    Add(many_, n_, gu_, encode_h_, gh_);
    if (s_.encodes_c) Add(many_, s_.kept(), gu_, encode_c_, gc_);
    if (gradients_.p_in != nullptr) {
      AddToSlice(rows_, steps_, t, s_.width(), gp_, gradients_.p_in);
    }
    if (gradients_.u_in != nullptr) AddToSlice(rows_, steps_, t, many_, gu_, gradients_.u_in);
    for (int64_t row = 0; row < rows_; ++row) {
      if (positions.At(row) != 0) continue;
      std::fill_n(gh_ + row * n_, n_, T{0});
      std::fill_n(gc_ + row * s_.kept(), s_.kept(), T{0});
      std::fill_n(gu_ + row * many_, many_, T{0});  // nothing went before: none of E's gradient
    }
    ScatterSlice(rows_, steps_, t, many_, gu_, pass_.trace.u);
  }

  /// The gradient of p into the trace's gates, and what stood before the token into before_.
  void Cell(int64_t row, int64_t t, int64_t position) {
    const int64_t token = row * steps_ + t;
    T *gates = pass_.trace.gates + token * s_.width(), *before = before_ + token * n_;
    const T* from =
        t > 0 ? pass_.y + (token - 1) * n_ : (pass_.h0 == nullptr ? nullptr : pass_.h0 + row * n_);
    if (position <= 0 || from == nullptr) std::fill_n(before, n_, T{0});
    if (position > 0 && from != nullptr) std::copy_n(from, n_, before);
    if (position < 0) {
      std::fill_n(gates, s_.width(), T{0});
    } else {
      StepCellBack(s_, pass_.y + token * n_, before, gates, gh_ + row * n_);
    }
  }

  /// out [rows, columns] += x [rows, depth] M.
  void Add(int64_t depth, int64_t columns, const T* x, const T* packed, T* out) {
    MultiplyPacked(rows_, depth, columns, x, depth, packed, product_);
    for (int64_t row = 0; row < rows_; ++row) {
      Axpy(columns, T{1}, product_ + row * PackedColumns<T>(columns), out + row * columns);
    }
  }

  void AddWeights() const {
    const MemoryCellWeights<T*>& to = gradients_.weights;
    const T *gp = pass_.trace.gates, *gu = pass_.trace.u;
    const int64_t tokens = s_.tokens(), kept = s_.kept();
    if (to.encode_h != nullptr) {
      GemmTransposedA(many_, n_, tokens, gu, before_, to.encode_h, Write::kAdd);
    }
    if (to.weight_c != nullptr) {
      GemmTransposedA(s_.width(), kept, tokens, gp, pass_.trace.c, to.weight_c, Write::kAdd);
    }
    if (to.weight_h != nullptr) {
      GemmTransposedA(s_.width(), n_, tokens, gp, before_, to.weight_h, Write::kAdd);
    }
    for (int64_t row = 0; row < rows_ && steps_ > 0 && to.encode_c != nullptr; ++row) {
      const T *gu_row = gu + row * steps_ * many_, *c_row = pass_.trace.c + row * steps_ * kept;
      GemmTransposedA(many_, kept, steps_ - 1, gu_row + many_, c_row, to.encode_c, Write::kAdd);
      if (pass_.c0 == nullptr) continue;
      GemmTransposedA(many_, kept, 1, gu_row, pass_.c0 + row * kept, to.encode_c, Write::kAdd);
    }
    if (s_.scan.trained) {
      AddCoefficientGradient(s_.scan, kept_, pass_.c0, pass_.trace.c, gradients_.a_minus_1);
    }
  }

  const MemoryCellShape& s_;
  int64_t rows_, steps_, many_, n_;
  const MemoryCellPass<T>& pass_;
  const MemoryCellGradients<T>& gradients_;
  T *gh_, *gc_, *gu_, *gp_, *before_, *spare_, *product_;
  T *encode_h_, *encode_c_, *weight_c_, *weight_h_, *kept_;
};

}  // namespace

template <class T>
int64_t MemoryCellBackScratch(const MemoryCellShape& s) {
  const int64_t rows = s.scan.rows, kept = s.kept(), many = s.memories(), n = s.hidden;
  return rows * (n + kept + many + s.width()) + s.tokens() * n +
         MemoryStepScratch<T>(s.scan.memory, rows) +
         rows * std::max(PackedColumns<T>(kept), PackedColumns<T>(n)) + PackedSize<T>(many, n) +
         (s.encodes_c ? PackedSize<T>(many, kept) : 0) + PackedSize<T>(s.width(), kept) +
         (s.recurs ? PackedSize<T>(s.width(), n) : 0) + (s.scan.trained ? s.tokens() * kept : 0);
}

template <class T>
void MemoryCellBack(const MemoryCellShape& shape, const MemoryCellPass<T>& pass,
                    const MemoryCellGradients<T>& gradients, T* scratch) {
  Walk<T>(shape, pass, gradients, scratch).Run();
}

#define SSM_INSTANTIATE(T)                                                       \
  template int64_t MemoryCellBackScratch<T>(const MemoryCellShape&);             \
  template void MemoryCellBack(const MemoryCellShape&, const MemoryCellPass<T>&, \
                               const MemoryCellGradients<T>&, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
