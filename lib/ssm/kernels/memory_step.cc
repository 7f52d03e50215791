#include "ssm/kernels/memory_step.h"

#include <algorithm>
#include <cmath>

#include "ssm/kernels/legs_exact.h"
#include "ssm/kernels/packed_product.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

/// 1 / h: the time of the token at `position`, 0 where it starts the memory with its own value.
double LegsTimeAt(const MemoryShape& shape, int64_t position) {
  return static_cast<double>(shape.start == MemoryStart::kFirstSample ? position : position + 1);
}

/// How far LegS moves explicitly and implicitly: (I - implicit A)^-1 (I + explicit A), and how far
/// the input reaches. `sets`: the token starts the memory with its own value.
struct LegsStep {
  double before = 0, after = 0, input = 0;
  bool sets = false;
};

LegsStep LegsStepAt(const MemoryShape& shape, int64_t position) {
  const double t = LegsTimeAt(shape, position), h = 1 / t;
  if (t == 0) return {0, 0, 0, true};
  switch (shape.rule) {
    case MemoryRule::kLegsForward:
      return {h, 0, h};
    case MemoryRule::kLegsBackward:
      return {0, h, h};
    default:
      return {h / 2, h / 2, h};
  }
}

/// LegS at one position. A_ij = -r_i r_j below the diagonal and -(i + 1) on it, B_i = r_i, r_i^2 =
/// 2 i + 1. Two sums run along the rows, of r_j c_j before the step and after it. The one after, s,
/// is moved by its own recurrence, s + r_i c_i = ((1 - after i) s + r_i x_i) / (1 + after (i + 1)),
/// which does not wait for c_i.
class LegsRows {
 public:
  static constexpr int64_t kTables = 5;

  /// `tables`: kTables order doubles.
  LegsRows(const MemoryShape& shape, double* tables)
      : shape_(shape),
        order_(shape.order),
        root_(tables),
        keep_(root_ + order_),
        inverse_(keep_ + order_),
        gain_(inverse_ + order_),
        factor_(gain_ + order_) {}

  static int64_t ScratchSize(const MemoryShape& shape) { return kTables * shape.order; }

  /// Rows in step share the tables.
  void MoveTo(int64_t position) {
    if (position == position_) return;
    position_ = position;
    step_ = LegsStepAt(shape_, position);
    const double before = step_.before, after = step_.after;
#pragma omp simd
    for (int64_t i = 0; i < order_; ++i) {
      const double k = static_cast<double>(i), root = std::sqrt(2 * k + 1);
      const double inverse = 1 / (1 + after * (k + 1));
      root_[i] = root;
      keep_[i] = 1 - before * (k + 1);
      inverse_[i] = inverse;
      gain_[i] = root * inverse;
      factor_[i] = (1 - after * k) * inverse;
    }
  }

  template <class T>
  void Step(double u, T* c) const {
    if (step_.sets) {
      std::fill_n(c, order_, T{0});
      c[0] = static_cast<T>(u);
      return;
    }
    const double drive = step_.input * u;
    double before = 0, after = 0;
    for (int64_t i = 0; i < order_; ++i) {
      const double old = static_cast<double>(c[i]);
      const double x = keep_[i] * old + root_[i] * (drive - step_.before * before);
      c[i] = static_cast<T>(inverse_[i] * x - step_.after * (gain_[i] * after));
      before += root_[i] * old;
      after = factor_[i] * after + gain_[i] * x;
    }
  }

  /// The same from the last row to the first. `sum`: of r_i times the gradient of what the implicit
  /// half was given, in the end that of the input. Returns the gradient of u.
  template <class T>
  double Back(T* g) const {
    if (step_.sets) {
      const double first = static_cast<double>(g[0]);
      std::fill_n(g, order_, T{0});
      return first;
    }
    double sum = 0;
    for (int64_t i = order_ - 1; i >= 0; --i) {
      const double after = static_cast<double>(g[i]);
      const double given = inverse_[i] * after - step_.after * (gain_[i] * sum);
      g[i] = static_cast<T>(keep_[i] * given - step_.before * (root_[i] * sum));
      sum = factor_[i] * sum + gain_[i] * after;
    }
    return step_.input * sum;
  }

 private:
  const MemoryShape& shape_;
  int64_t order_, position_ = -1;
  LegsStep step_;
  double *root_, *keep_, *inverse_, *gain_, *factor_;
};

/// The same by the exact rule.
class LegsExactRows {
 public:
  LegsExactRows(const MemoryShape& shape, double* scratch)
      : shape_(shape), exact_(shape.order, shape.tables, scratch) {}

  static int64_t ScratchSize(const MemoryShape& shape) {
    return LegsExact::ScratchSize(shape.order);
  }
  void MoveTo(int64_t position) {
    if (position == position_) return;
    position_ = position;
    t_ = LegsTimeAt(shape_, position);
    if (t_ > 0) exact_.MoveTo(t_);
  }
  template <class T>
  void Step(double u, T* c) {
    if (t_ > 0) return exact_.Step(u, c);
    std::fill_n(c, shape_.order, T{0});
    c[0] = static_cast<T>(u);
  }
  template <class T>
  double Back(T* g) {
    if (t_ > 0) return exact_.Back(g);
    const double first = static_cast<double>(g[0]);
    std::fill_n(g, shape_.order, T{0});
    return first;
  }

 private:
  const MemoryShape& shape_;
  int64_t position_ = -1;
  double t_ = 0;
  LegsExact exact_;
};

template <class Rows, class T>
void StepLegs(const MemoryShape& shape, int64_t rows, const MemoryPositions& positions, const T* u,
              T* c, T* scratch) {
  Rows legs(shape, reinterpret_cast<double*>(scratch));
  for (int64_t row = 0; row < rows; ++row) {
    if (positions.At(row) < 0) continue;
    legs.MoveTo(positions.At(row));
    for (int64_t i = row * shape.memories; i < (row + 1) * shape.memories; ++i) {
      legs.Step(static_cast<double>(u[i]), c + i * shape.order);
    }
  }
}

template <class Rows, class T>
void StepLegsBack(const MemoryShape& shape, int64_t rows, const MemoryPositions& positions, T* g,
                  T* gu, T* scratch) {
  Rows legs(shape, reinterpret_cast<double*>(scratch));
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t position = positions.At(row);
    if (position >= 0) legs.MoveTo(position);
    for (int64_t i = row * shape.memories; i < (row + 1) * shape.memories; ++i) {
      T* g_i = g + i * shape.order;
      gu[i] = position < 0 ? T{0} : static_cast<T>(legs.Back(g_i));
      if (position == 0) std::fill_n(g_i, shape.order, T{0});
    }
  }
}

template <class T>
void StepDense(const MemoryShape& shape, const MemoryCoefficients<T>& coefficients, int64_t rows,
               const MemoryPositions& positions, const T* u, T* c, T* scratch) {
  const int64_t n = shape.order, stride = PackedColumns<T>(n);
  MultiplyPacked(rows * shape.memories, n, n, c, n, coefficients.packed, scratch);
  for (int64_t row = 0; row < rows; ++row) {
    if (positions.At(row) < 0) continue;
    for (int64_t i = row * shape.memories; i < (row + 1) * shape.memories; ++i) {
      Axpy(n, T{1}, scratch + i * stride, c + i * n);
      Axpy(n, u[i], coefficients.b_bar, c + i * n);
    }
  }
}

template <class T>
void StepDenseBack(const MemoryShape& shape, const MemoryCoefficients<T>& coefficients,
                   int64_t rows, const MemoryPositions& positions, T* g, T* gu, T* scratch) {
  const int64_t n = shape.order, stride = PackedColumns<T>(n);
  MultiplyPacked(rows * shape.memories, n, n, g, n, coefficients.packed, scratch);
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t position = positions.At(row);
    for (int64_t i = row * shape.memories; i < (row + 1) * shape.memories; ++i) {
      gu[i] = position < 0 ? T{0} : Dot(n, coefficients.b_bar, g + i * n);
      if (position > 0) Axpy(n, T{1}, scratch + i * stride, g + i * n);
      if (position == 0) std::fill_n(g + i * n, n, T{0});
    }
  }
}

}  // namespace

template <class T>
int64_t MemoryStepScratch(const MemoryShape& shape, int64_t rows) {
  constexpr int64_t kPerDouble = sizeof(double) / sizeof(T);
  if (!shape.legs()) return rows * shape.memories * PackedColumns<T>(shape.order);
  return kPerDouble * (shape.rule == MemoryRule::kLegsExact ? LegsExactRows::ScratchSize(shape)
                                                            : LegsRows::ScratchSize(shape));
}

template <class T>
void StepMemory(const MemoryShape& shape, const MemoryCoefficients<T>& coefficients, int64_t rows,
                const MemoryPositions& positions, const T* u, T* c, T* scratch) {
  for (int64_t row = 0; row < rows; ++row) {
    if (positions.At(row) == 0) std::fill_n(c + row * shape.width(), shape.width(), T{0});
  }
  if (!shape.legs()) return StepDense(shape, coefficients, rows, positions, u, c, scratch);
  if (shape.rule == MemoryRule::kLegsExact) {
    return StepLegs<LegsExactRows>(shape, rows, positions, u, c, scratch);
  }
  StepLegs<LegsRows>(shape, rows, positions, u, c, scratch);
}

template <class T>
void StepMemoryBack(const MemoryShape& shape, const MemoryCoefficients<T>& coefficients,
                    int64_t rows, const MemoryPositions& positions, T* g, T* gu, T* scratch) {
  if (!shape.legs()) {
    return StepDenseBack(shape, coefficients, rows, positions, g, gu, scratch);
  }
  if (shape.rule == MemoryRule::kLegsExact) {
    return StepLegsBack<LegsExactRows>(shape, rows, positions, g, gu, scratch);
  }
  StepLegsBack<LegsRows>(shape, rows, positions, g, gu, scratch);
}

#define SSM_INSTANTIATE(T)                                                                \
  template int64_t MemoryStepScratch<T>(const MemoryShape&, int64_t);                     \
  template void StepMemory(const MemoryShape&, const MemoryCoefficients<T>&, int64_t,     \
                           const MemoryPositions&, const T*, T*, T*);                     \
  template void StepMemoryBack(const MemoryShape&, const MemoryCoefficients<T>&, int64_t, \
                               const MemoryPositions&, T*, T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
