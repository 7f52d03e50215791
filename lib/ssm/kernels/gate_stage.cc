#include "ssm/kernels/gate_stage.h"

#include <algorithm>

#include "ssm/kernels/elementary.h"
#include "ssm/kernels/gemm.h"
#include "ssm/kernels/pieces.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

/// What a stage keeps: the hidden layer and room for its gradient, z, the gates.
template <class T>
struct Kept {
  Kept(const GateStageShape& shape, T* kept) {
    Pieces<T> pieces(kept);
    hidden = pieces.Take(shape.rows * shape.hidden);
    g_hidden = pieces.Take(shape.rows * shape.hidden);
    z = pieces.Take(shape.rows * shape.width);
    gates = pieces.Take(shape.rows * shape.gates());
  }
  T *hidden, *g_hidden, *z, *gates;
};

/// y [rows, out] = x W^T + b.
template <class T>
void Affine(int64_t rows, int64_t out, int64_t in, const T* x, const T* w, const T* b, T* y) {
  for (int64_t row = 0; row < rows && b != nullptr; ++row) std::copy_n(b, out, y + row * out);
  GemmTransposedB(rows, out, in, x, w, y, b != nullptr ? Write::kAdd : Write::kAssign);
}

/// to [n] += every row; null: nothing.
template <class T>
void AddRows(int64_t rows, int64_t n, const T* from, T* to) {
  for (int64_t row = 0; row < rows && to != nullptr; ++row) Axpy(n, T{1}, from + row * n, to);
}

template <class T>
void AffineBackward(int64_t rows, int64_t out, int64_t in, const T* x, const T* w, const T* gy,
                    T* gx, T* gw, T* gb) {
  if (gx != nullptr) Gemm(rows, in, out, gy, w, gx, Write::kAdd);
  if (gw != nullptr) GemmTransposedA(out, in, rows, gy, x, gw, Write::kAdd);
  AddRows(rows, out, gy, gb);
}

/// The gates' numbers before the sigmoid.
template <class T>
void Logits(const GateStageShape& shape, const GateStageArrays<const T*>& in, const T* a,
            T* gates) {
  if (shape.gate != StateGate::kFixed) {
    return Affine(shape.rows, shape.gates(), shape.inner(), a, in.wg, in.bg, gates);
  }
  for (int64_t row = 0; row < shape.rows; ++row) {
    std::copy_n(in.bg, shape.width, gates + row * shape.width);
  }
}

template <class T>
void ApplyGates(const GateStageShape& shape, const T* s, const T* z, T* gates, T* next) {
  const int64_t n = shape.width;
  if (shape.gate != StateGate::kLstm) {
    const T shift = shape.gate == StateGate::kGru ? T{1} : T{0};
    for (int64_t i = 0; i < shape.rows * n; ++i) {
      const SigmoidPair<T> g = Sigmoids(gates[i] + shift);
      next[i] = g.value * s[i] + g.complement * z[i];
      gates[i] = g.value;
    }
    return;
  }
  for (int64_t row = 0; row < shape.rows; ++row, s += n, z += n, next += n, gates += 2 * n) {
    T *forget = gates, *input = gates + n;
#pragma omp simd
    for (int64_t d = 0; d < n; ++d) {
      forget[d] = Sigmoid(forget[d] + 1);
      input[d] = Sigmoid(input[d] - 1);
      next[d] = forget[d] * s[d] + input[d] * z[d];
    }
  }
}

/// Gates become gradients of their logits, z that of what z was made from, g_next that of s.
template <class T>
void GatesBackward(const GateStageShape& shape, const T* s, T* z, T* gates, T* g_next) {
  const int64_t n = shape.width;
  const T squash = shape.squash ? T{1} : T{0};
  const int64_t input = shape.gate == StateGate::kLstm ? n : 0;
  for (int64_t row = 0; row < shape.rows; ++row) {
    for (int64_t d = 0; d < n; ++d) {
      const T g = g_next[d], value = z[d], keep = gates[d];
      const T slope = 1 - squash * value * value;
      if (input > 0) {
        const T in = gates[input + d];
        gates[input + d] = g * value * in * (1 - in);
        gates[d] = g * s[d] * keep * (1 - keep);
        z[d] = g * in * slope;
      } else {
        gates[d] = g * (s[d] - value) * keep * (1 - keep);
        z[d] = g * (1 - keep) * slope;
      }
      g_next[d] = g * keep;
    }
    s += n, z += n, g_next += n, gates += shape.gates();
  }
}

}  // namespace

double GateStageShape::Flops() const {
  const double products = static_cast<double>(hidden * in) +
                          static_cast<double>(width + (gate == StateGate::kFixed ? 0 : gates())) *
                              static_cast<double>(inner());
  return static_cast<double>(rows) * (2 * products + 20 * static_cast<double>(gates()));
}

template <class T>
void GateStage(const GateStageShape& shape, const GateStageArrays<const T*>& in, const T* u,
               const T* s, T* next, T* kept) {
  const Kept<T> k(shape, kept);
  const T* a = u;
  if (shape.hidden > 0) {
    Affine(shape.rows, shape.hidden, shape.in, u, in.w1, in.b1, k.hidden);
#pragma omp simd
    for (int64_t i = 0; i < shape.rows * shape.hidden; ++i) {
      k.hidden[i] = k.hidden[i] > 0 ? k.hidden[i] : T{0};
    }
    a = k.hidden;
  }
  Affine(shape.rows, shape.width, shape.inner(), a, in.w2, in.b2, k.z);
  if (shape.squash) {
#pragma omp simd
    for (int64_t i = 0; i < shape.rows * shape.width; ++i) k.z[i] = Tanh(k.z[i]);
  }
  Logits(shape, in, a, k.gates);
  ApplyGates(shape, s, k.z, k.gates, next);
}

template <class T>
void GateStageBackward(const GateStageShape& shape, const GateStageArrays<const T*>& in, const T* u,
                       const T* s, T* kept, T* g_next, T* g_u,
                       const GateStageArrays<T*>& gradients) {
  const Kept<T> k(shape, kept);
  GatesBackward(shape, s, k.z, k.gates, g_next);
  const int64_t rows = shape.rows, inner = shape.inner();
  const T* a = shape.hidden > 0 ? k.hidden : u;
  T* g_a = shape.hidden > 0 ? k.g_hidden : g_u;
  std::fill_n(k.g_hidden, rows * shape.hidden, T{0});
  AffineBackward(rows, shape.width, inner, a, in.w2, k.z, g_a, gradients.w2, gradients.b2);
  if (in.wg != nullptr) {
    AffineBackward(rows, shape.gates(), inner, a, in.wg, k.gates, g_a, gradients.wg, gradients.bg);
  } else {
    AddRows(rows, shape.width, k.gates, gradients.bg);
  }
  if (shape.hidden == 0) return;
  for (int64_t i = 0; i < rows * shape.hidden; ++i) {
    k.g_hidden[i] = k.hidden[i] > 0 ? k.g_hidden[i] : T{0};
  }
  AffineBackward(rows, shape.hidden, shape.in, u, in.w1, k.g_hidden, g_u, gradients.w1,
                 gradients.b1);
}

#define SSM_INSTANTIATE(T)                                                                   \
  template void GateStage(const GateStageShape&, const GateStageArrays<const T*>&, const T*, \
                          const T*, T*, T*);                                                 \
  template void GateStageBackward(const GateStageShape&, const GateStageArrays<const T*>&,   \
                                  const T*, const T*, T*, T*, T*, const GateStageArrays<T*>&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
