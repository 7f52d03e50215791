// One gated update of a set of state vectors: a projection or a small network, and its gate.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// kFixed: s' = g s + (1 - g) z, g = sigmoid(b). kGru: the same with g = sigmoid(W_g a + b + 1).
/// kLstm: s' = f s + i z, f = sigmoid(W_f a + b_f + 1), i = sigmoid(W_i a + b_i - 1).
enum class StateGate { kFixed, kGru, kLstm };

/// Rows of `in` columns become updates of rows of `width`. hidden 0: z = W_2 u and a = u. Otherwise
/// a = relu(W_1 u + b_1), z = W_2 a + b_2, and z is its tanh if `squash`.
struct GateStageShape {
  int64_t rows = 0, in = 0, width = 0, hidden = 0;
  StateGate gate = StateGate::kFixed;
  bool squash = false;

  int64_t inner() const { return hidden > 0 ? hidden : in; }
  /// Columns of gates.
  int64_t gates() const { return gate == StateGate::kLstm ? 2 * width : width; }
  /// Numbers that Forward keeps for Backward.
  int64_t Kept() const { return rows * (2 * hidden + width + gates()); }
  double Flops() const;
};

template <class Pointer>
struct GateStageArrays {
  Pointer w1{}, b1{};  // [hidden, in], [hidden]; null without a hidden layer
  Pointer w2{}, b2{};  // [width, inner], [width]; b2 null without a hidden layer
  Pointer wg{}, bg{};  // [gates, inner], [gates]; wg null for kFixed
};

/// next [rows, width] from u [rows, in] and s [rows, width]; kept [Kept()]. In place is legal.
template <class T>
void GateStage(const GateStageShape& shape, const GateStageArrays<const T*>& in, const T* u,
               const T* s, T* next, T* kept);

/// g_next [rows, width] becomes what reaches s directly; g_u is added to, and so are the gradients
/// of parameters, each of which may be null. kept is spoilt.
template <class T>
void GateStageBackward(const GateStageShape& shape, const GateStageArrays<const T*>& in, const T* u,
                       const T* s, T* kept, T* g_next, T* g_u,
                       const GateStageArrays<T*>& gradients);

}  // namespace ssm::kernels
