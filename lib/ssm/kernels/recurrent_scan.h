// Nonlinear recurrent cells walked over time, forward and backward.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// Gates stand in PyTorch's order: rnn h; gru r, z, n; lstm i, f, g, o.
enum class RecurrentCell { kRnn, kGru, kLstm };

/// Blocks of hidden size in a cell's weights: 1, 3, 4.
int64_t GateCount(RecurrentCell cell);
/// FLOPs of a cell's gates for one hidden number, products aside.
double GateFlops(RecurrentCell cell);

struct RecurrentShape {
  RecurrentCell cell = RecurrentCell::kRnn;
  int64_t rows = 0, steps = 0, hidden = 0;
  const int64_t* pos = nullptr;  // [rows, steps]: 0 starts a sequence, -1 is padding; null: neither

  /// Pre-activations of one token.
  int64_t width() const { return GateCount(cell) * hidden; }
  int64_t tokens() const { return rows * steps; }
  int64_t Position(int64_t row, int64_t step) const {
    return pos == nullptr ? 1 : pos[row * steps + step];
  }
};

/// What the walk forward leaves for the walk back, which uses it up. Null: nothing is kept.
template <class T>
struct RecurrentTrace {
  T* gates = nullptr;  // [rows, steps, width]: after the nonlinearities; gru's n part U_n h + b
  T* inner = nullptr;  // [rows, steps, hidden]: gru n, lstm c
};

/// Elements of scratch that each walk needs.
template <class T>
int64_t RecurrentScratch(const RecurrentShape& shape);
template <class T>
int64_t RecurrentBackwardScratch(const RecurrentShape& shape);

/// With W_hh [width, hidden] packed by PackTransposed together with b_hh, `in` [rows, steps, width]
/// the input's part W_ih x + b_ih, and p = W_hh h + b_hh:
///   rnn   h = tanh(in + p)
///   gru   r, z = sigmoid(in + p), n = tanh(in_n + r p_n), h = (1 - z) n + z h
///   lstm  i, f, o = sigmoid(in + p), g = tanh(in + p), c = f c + i g, h = o tanh(c)
/// h [rows, hidden] and lstm's c are the state before, and in place the one after; y [rows, steps,
/// hidden] is every h. Where pos is 0 the state before is zero; where it is -1 the state passes
/// unchanged. A row's bits do not depend on the rows beside it.
/// Cost 2 rows steps width hidden FLOPs and GateFlops a token and hidden number.
template <class T>
void RecurrentScan(const RecurrentShape& shape, const T* packed, const T* in, T* h, T* c, T* y,
                   const RecurrentTrace<T>& trace, T* scratch);

/// The pass forward as the walk back needs it; h0 and c0 null: zero.
template <class T>
struct RecurrentPass {
  const T *weight = nullptr, *h0 = nullptr, *c0 = nullptr, *y = nullptr;
  RecurrentTrace<T> trace;
};
/// Gradients that came in; null: zero.
template <class T>
struct RecurrentCotangents {
  const T *y = nullptr, *h = nullptr, *c = nullptr;
};
/// Gradients that go out, added to; null: unwanted.
template <class T>
struct RecurrentGradients {
  T *in = nullptr, *weight = nullptr, *bias = nullptr, *h0 = nullptr, *c0 = nullptr;
};

/// Twice the cost of the pass forward; the gradient of the weights is one product over all tokens.
template <class T>
void RecurrentScanBackward(const RecurrentShape& shape, const RecurrentPass<T>& pass,
                           const RecurrentCotangents<T>& cotangents,
                           const RecurrentGradients<T>& gradients, T* scratch);

}  // namespace ssm::kernels
