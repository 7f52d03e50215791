#include "ssm/kernels/memory_scan.h"

#include <algorithm>

#include "ssm/kernels/gemm.h"
#include "ssm/kernels/rows.h"
#include "ssm/kernels/slices.h"

namespace ssm::kernels {
template <class T>
int64_t MemoryScanScratch(const MemoryScanShape& shape) {
  return MemoryStepScratch<T>(shape.memory, shape.rows) + shape.rows * shape.memory.memories;
}

template <class T>
int64_t MemoryScanBackScratch(const MemoryScanShape& shape) {
  const int64_t kept = shape.trained ? shape.steps : 0;
  return MemoryScanScratch<T>(shape) + (kept + 1) * shape.rows * shape.memory.width();
}

template <class T>
void MemoryScan(const MemoryScanShape& shape, const MemoryCoefficients<T>& coefficients, const T* u,
                T* last, T* c, T* scratch) {
  const MemoryShape& memory = shape.memory;
  T *spare = scratch, *u_now = spare + MemoryStepScratch<T>(memory, shape.rows);
  for (int64_t t = 0; t < shape.steps; ++t) {
    GatherSlice(shape.rows, shape.steps, t, memory.memories, u, u_now);
    StepMemory(memory, coefficients, shape.rows, shape.At(t), u_now, last, spare);
    ScatterSlice(shape.rows, shape.steps, t, memory.width(), last, c);
  }
}

template <class T>
void KeepForCoefficients(const MemoryScanShape& shape, int64_t step, const T* g, const T* u,
                         T* kept, T* b_bar) {
  const MemoryShape& memory = shape.memory;
  const int64_t width = memory.width();
  for (int64_t row = 0; row < shape.rows; ++row) {
    const int64_t position = shape.At(step).At(row), token = row * shape.steps + step;
    const T* g_row = g + row * width;
    if (position > 0) std::copy_n(g_row, width, kept + token * width);
    if (position <= 0) std::fill_n(kept + token * width, width, T{0});
    for (int64_t m = 0; m < memory.memories && position >= 0; ++m) {
      Axpy(memory.order, u[token * memory.memories + m], g_row + m * memory.order, b_bar);
    }
  }
}

template <class T>
void AddCoefficientGradient(const MemoryScanShape& shape, const T* kept, const T* c0, const T* c,
                            T* a_minus_1) {
  const int64_t width = shape.memory.width(), many = shape.memory.memories;
  const int64_t n = shape.memory.order;
  for (int64_t row = 0; row < shape.rows && shape.steps > 0; ++row) {
    // Token t multiplied the state of token t - 1.
    const T *first = kept + row * shape.steps * width, *c_row = c + row * shape.steps * width;
    GemmTransposedA(n, n, (shape.steps - 1) * many, first + width, c_row, a_minus_1, Write::kAdd);
    if (c0 != nullptr) {
      GemmTransposedA(n, n, many, first, c0 + row * width, a_minus_1, Write::kAdd);
    }
  }
}

template <class T>
void MemoryScanBack(const MemoryScanShape& shape, const MemoryScanPass<T>& pass,
                    const MemoryScanGradients<T>& gradients, T* scratch) {
  const MemoryShape& memory = shape.memory;
  const int64_t width = memory.width(), many = memory.memories;
  T *spare = scratch, *gu = spare + MemoryStepScratch<T>(memory, shape.rows);
  T* g = gu + shape.rows * many;
  T* kept = g + shape.rows * width;  // g where a state went before
  std::fill_n(g, shape.rows * width, T{0});
  if (pass.grad_last != nullptr) std::copy_n(pass.grad_last, shape.rows * width, g);
  for (int64_t t = shape.steps - 1; t >= 0; --t) {
    if (pass.grad_c != nullptr) AddFromSlice(shape.rows, shape.steps, t, width, pass.grad_c, g);
    if (shape.trained) KeepForCoefficients(shape, t, g, pass.u, kept, gradients.b_bar);
    StepMemoryBack(memory, pass.coefficients, shape.rows, shape.At(t), g, gu, spare);
    if (gradients.u != nullptr) AddToSlice(shape.rows, shape.steps, t, many, gu, gradients.u);
  }
  if (gradients.c0 != nullptr) Axpy(shape.rows * width, T{1}, g, gradients.c0);
  if (shape.trained) {
    AddCoefficientGradient(shape, kept, pass.c0, pass.c, gradients.a_minus_1);
  }
}

#define SSM_INSTANTIATE(T)                                                                         \
  template int64_t MemoryScanScratch<T>(const MemoryScanShape&);                                   \
  template int64_t MemoryScanBackScratch<T>(const MemoryScanShape&);                               \
  template void MemoryScan(const MemoryScanShape&, const MemoryCoefficients<T>&, const T*, T*, T*, \
                           T*);                                                                    \
  template void KeepForCoefficients(const MemoryScanShape&, int64_t, const T*, const T*, T*, T*);  \
  template void AddCoefficientGradient(const MemoryScanShape&, const T*, const T*, const T*, T*);  \
  template void MemoryScanBack(const MemoryScanShape&, const MemoryScanPass<T>&,                   \
                               const MemoryScanGradients<T>&, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
