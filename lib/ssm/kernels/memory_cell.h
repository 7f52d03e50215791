// A memory of fixed projections inside a nonlinear recurrent cell, walked over time.
#pragma once

#include "ssm/kernels/memory_scan.h"

namespace ssm::kernels {

/// How the hidden state follows from pre-activations p: kTanh h = tanh(p), the LMU's (Voelker,
/// Kajic and Eliasmith 2019); kGated with p = [a, b]: h <- (1 - g) h + g tanh(a), g = sigmoid(b),
/// HiPPO-RNN's (Gu, Dao, Ermon, Rudra and Re 2020).
enum class MemoryCell { kTanh, kGated };

struct MemoryCellShape {
  MemoryCell cell = MemoryCell::kTanh;
  MemoryScanShape scan;
  int64_t hidden = 0;      // H
  bool encodes_c = false;  // whether the memory's own state goes into u
  bool recurs = false;     // whether h goes into p

  int64_t memories() const { return scan.memory.memories; }
  int64_t kept() const { return scan.memory.width(); }
  /// Pre-activations of a token, [G H].
  int64_t width() const { return (cell == MemoryCell::kGated ? 2 : 1) * hidden; }
  int64_t tokens() const { return scan.rows * scan.steps; }
};

/// Null where the shape has no such part; gradients: unwanted.
template <class Pointer>
struct MemoryCellWeights {
  Pointer encode_h{};  // [M, H]
  Pointer encode_c{};  // [M, M N]
  Pointer weight_c{};  // [G H, M N]
  Pointer weight_h{};  // [G H, H]
};

/// Elements of the weights packed for the walk forward, and packing them.
template <class T>
int64_t PackedMemoryCellSize(const MemoryCellShape& shape);
template <class T>
void PackMemoryCell(const MemoryCellShape& shape, const MemoryCellWeights<const T*>& weights,
                    T* packed);

/// What the walk forward leaves for the walk back, which uses u and gates up. Null: nothing.
template <class T>
struct MemoryCellTrace {
  T* u = nullptr;      // [rows, steps, M]
  T* c = nullptr;      // [rows, steps, M, N]
  T* gates = nullptr;  // [rows, steps, G H] of kGated: tanh(a), g; of kTanh room for gradients
};

template <class T>
int64_t MemoryCellScratch(const MemoryCellShape& shape);
template <class T>
int64_t MemoryCellBackScratch(const MemoryCellShape& shape);

/// u_t = u_in + E_h h + E_c c, c <- the memory's step with u_t, p = p_in + W_c c + W_h h, h <- the
/// cell. u_in [rows, steps, M], p_in [rows, steps, G H]; h [rows, H] and c [rows, M, N] are the
/// state before, and in place the one after; y [rows, steps, H] is every h. At position 0 the state
/// before is zero, at -1 nothing moves. A row's bits do not depend on the rows beside it.
/// Cost of a token 2 (M + G H) (M N + H) FLOPs with every part, and StepMemory's.
template <class T>
void MemoryCellScan(const MemoryCellShape& shape, const T* packed,
                    const MemoryCoefficients<T>& coefficients, const T* u_in, const T* p_in, T* h,
                    T* c, T* y, const MemoryCellTrace<T>& trace, T* scratch);

/// The pass forward as the walk back reads it. h0 and c0, grad_*: null for zero.
template <class T>
struct MemoryCellPass {
  MemoryCellWeights<const T*> weights;
  MemoryCoefficients<T> coefficients;  // packed by Pack
  const T *h0 = nullptr, *c0 = nullptr, *y = nullptr;
  MemoryCellTrace<T> trace;
  const T *grad_y = nullptr, *grad_h = nullptr, *grad_c = nullptr;
};
/// Gradients that go out, added to; null: unwanted.
template <class T>
struct MemoryCellGradients {
  T *u_in = nullptr, *p_in = nullptr, *h0 = nullptr, *c0 = nullptr;
  MemoryCellWeights<T*> weights;
  T *a_minus_1 = nullptr, *b_bar = nullptr;  // there where scan.trained
};

/// Twice the cost of the walk forward; gradients of weights are products over all tokens.
template <class T>
void MemoryCellBack(const MemoryCellShape& shape, const MemoryCellPass<T>& pass,
                    const MemoryCellGradients<T>& gradients, T* scratch);

}  // namespace ssm::kernels
