#include "ssm/kernels/memory_step.h"

#include <algorithm>
#include <cmath>

#include "ssm/kernels/packed_product.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

/// How far LegS moves explicitly and implicitly: (I - implicit A)^-1 (I + explicit A), and how far
/// the input reaches. `sets`: the token starts the memory with its own value.
struct LegsStep {
  double before = 0, after = 0, input = 0;
  bool sets = false;
};

LegsStep LegsStepAt(const MemoryShape& shape, int64_t position) {
  const bool late = shape.start == MemoryStart::kFirstSample;
  if (late && position == 0) return {0, 0, 0, true};
  const double h = 1 / static_cast<double>(late ? position : position + 1);
  switch (shape.rule) {
    case MemoryRule::kLegsForward:
      return {h, 0, h};
    case MemoryRule::kLegsBackward:
      return {0, h, h};
    default:
      return {h / 2, h / 2, h};
  }
}

/// A_ij = -r_i r_j below the diagonal and -(i + 1) on it, B_i = r_i, r_i^2 = 2 i + 1. Two sums run
/// along the row, of r_j c_j before the step and after it. The one after, s, is moved by its own
/// recurrence, s + r_i c_i = ((1 - after i) s + r_i x_i) / (1 + after (i + 1)), which does not wait
/// for c_i.
template <class T>
void StepLegs(const LegsStep& step, int64_t order, double u, T* c) {
  if (step.sets) {
    std::fill_n(c, order, T{0});
    c[0] = static_cast<T>(u);
    return;
  }
  double before = 0, after = 0;
  for (int64_t i = 0; i < order; ++i) {
    const double k = static_cast<double>(i), root = std::sqrt(2 * k + 1);
    const double inverse = 1 / (1 + step.after * (k + 1));
    const double old = static_cast<double>(c[i]);
    const double x = old - step.before * (root * before + (k + 1) * old) + step.input * root * u;
    c[i] = static_cast<T>((x - step.after * root * after) * inverse);
    before += root * old;
    after = (1 - step.after * k) * inverse * after + root * inverse * x;
  }
}

/// The same from the last row to the first. `sum`: of r_i times the gradient of what the implicit
/// half was given, in the end that of the input. Returns the gradient of u.
template <class T>
double StepLegsBack(const LegsStep& step, int64_t order, T* g) {
  if (step.sets) {
    const double first = static_cast<double>(g[0]);
    std::fill_n(g, order, T{0});
    return first;
  }
  double sum = 0;
  for (int64_t i = order - 1; i >= 0; --i) {
    const double k = static_cast<double>(i), root = std::sqrt(2 * k + 1);
    const double inverse = 1 / (1 + step.after * (k + 1)), after = static_cast<double>(g[i]);
    const double given = (after - step.after * root * sum) * inverse;
    g[i] = static_cast<T>(given - step.before * (root * sum + (k + 1) * given));
    sum = (1 - step.after * k) * inverse * sum + root * inverse * after;
  }
  return step.input * sum;
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
  return shape.legs() ? 0 : rows * shape.memories * PackedColumns<T>(shape.order);
}

template <class T>
void StepMemory(const MemoryShape& shape, const MemoryCoefficients<T>& coefficients, int64_t rows,
                const MemoryPositions& positions, const T* u, T* c, T* scratch) {
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t position = positions.At(row);
    T* c_row = c + row * shape.width();
    if (position == 0) std::fill_n(c_row, shape.width(), T{0});
    if (position < 0 || !shape.legs()) continue;
    const LegsStep step = LegsStepAt(shape, position);
    for (int64_t m = 0; m < shape.memories; ++m) {
      StepLegs(step, shape.order, static_cast<double>(u[row * shape.memories + m]),
               c_row + m * shape.order);
    }
  }
  if (!shape.legs()) StepDense(shape, coefficients, rows, positions, u, c, scratch);
}

template <class T>
void StepMemoryBack(const MemoryShape& shape, const MemoryCoefficients<T>& coefficients,
                    int64_t rows, const MemoryPositions& positions, T* g, T* gu, T* scratch) {
  if (!shape.legs()) {
    return StepDenseBack(shape, coefficients, rows, positions, g, gu, scratch);
  }
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t position = positions.At(row);
    for (int64_t i = row * shape.memories; i < (row + 1) * shape.memories; ++i) {
      T* g_i = g + i * shape.order;
      gu[i] = position < 0
                  ? T{0}
                  : static_cast<T>(StepLegsBack(LegsStepAt(shape, position), shape.order, g_i));
      if (position == 0) std::fill_n(g_i, shape.order, T{0});
    }
  }
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
