// A memory of fixed projections walked over time, forward and back.
#pragma once

#include "ssm/kernels/memory_step.h"

namespace ssm::kernels {

struct MemoryScanShape {
  MemoryShape memory;
  int64_t rows = 0, steps = 0;
  const int64_t* pos = nullptr;  // [rows, steps]; null: all 1
  bool trained = false;          // whether the gradients of A_bar and B_bar are wanted

  MemoryPositions At(int64_t step) const { return {pos == nullptr ? nullptr : pos + step, steps}; }
};

/// Elements of scratch of the walk forward and of the walk back.
template <class T>
int64_t MemoryScanScratch(const MemoryScanShape& shape);
template <class T>
int64_t MemoryScanBackScratch(const MemoryScanShape& shape);

/// u [rows, steps, M]; `last` [rows, M, N] is the state before, and in place the one after; c
/// [rows, steps, M, N] is every state.
template <class T>
void MemoryScan(const MemoryScanShape& shape, const MemoryCoefficients<T>& coefficients, const T* u,
                T* last, T* c, T* scratch);

/// What a walk back does for the coefficients of a dense memory, g [rows, M, N] being the gradient
/// of the state after `step`: adds its part to that of B_bar, and keeps g in kept [rows, steps,
/// M, N] where a state went before.
template <class T>
void KeepForCoefficients(const MemoryScanShape& shape, int64_t step, const T* g, const T* u,
                         T* kept, T* b_bar);
/// And at its end, for A_bar: one product over each row's tokens.
template <class T>
void AddCoefficientGradient(const MemoryScanShape& shape, const T* kept, const T* c0, const T* c,
                            T* a_minus_1);

/// What the walk back reads; null: none, zero.
template <class T>
struct MemoryScanPass {
  MemoryCoefficients<T> coefficients;  // packed by Pack
  const T *u = nullptr, *c0 = nullptr, *c = nullptr;
  const T *grad_c = nullptr, *grad_last = nullptr;
};
/// Gradients that go out, added to; null: unwanted. The first two are there where `trained`.
template <class T>
struct MemoryScanGradients {
  T *a_minus_1 = nullptr, *b_bar = nullptr, *u = nullptr, *c0 = nullptr;
};

/// The cost of the walk forward, and as much again where the gradient of A_bar is wanted.
template <class T>
void MemoryScanBack(const MemoryScanShape& shape, const MemoryScanPass<T>& pass,
                    const MemoryScanGradients<T>& gradients, T* scratch);

}  // namespace ssm::kernels
