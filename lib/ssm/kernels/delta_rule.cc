#include "ssm/kernels/delta_rule.h"

#include "ssm/kernels/delta_chunk-inl.h"

namespace ssm::kernels {
namespace {

using internal::DeltaChunk;
using internal::DeltaPlace;

/// s = a s.
template <class T>
void Decay(int64_t n, T a, T* s) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) s[i] *= a;
}

/// y = gamma Q S + (D * Q K^T) U, and the state after the chunk.
template <class T>
void CloseChunk(const DeltaRuleShape& shape, const DeltaPlace& at, DeltaChunk<T>& chunk, T* s,
                T* y) {
  const int64_t n = at.n, dk = shape.d_key, dv = shape.d_value;
  T* out = chunk.scaled;
  Gemm(n, dv, n, chunk.products, chunk.u, out, Write::kAssign);
  T* to = y + (at.row * shape.steps + at.first) * shape.values() + at.head * dv;
  for (int64_t i = 0; i < n; ++i) {
    if (chunk.reads) Axpy(dv, chunk.gamma[i], chunk.reads_of_s + i * dv, out + i * dv);
    std::copy_n(out + i * dv, dv, to + i * shape.values());
  }
  internal::ScaleRows(n, dk, chunk.to_end, chunk.k(shape), chunk.scaled);
  Decay(shape.state(), chunk.reads ? chunk.gamma[n - 1] : T{0}, s);
  GemmTransposedA(dk, dv, n, chunk.scaled, chunk.u, s, Write::kAdd);
}

}  // namespace

DeltaRuleFlops CountDeltaRule(const DeltaRuleShape& shape, bool decays) {
  const double dk = static_cast<double>(shape.d_key), dv = static_cast<double>(shape.d_value);
  double products = 0, rest = 0;
  for (int64_t first = 0; first < shape.steps; first += shape.chunk) {
    const double n = static_cast<double>(std::min(shape.chunk, shape.steps - first));
    products += n * (4 * n * (dk + dv) + 6 * dk * dv);
    rest += n * (n * n / 3 + n * (decays ? 14 : 4) + 6 * dv + 2 * dk) + dk * dv;
  }
  const double heads = static_cast<double>(shape.rows * shape.heads);
  return {heads * (products + rest), heads * products};
}

template <class T>
int64_t DeltaRuleScratch(const DeltaRuleShape& shape) {
  return DeltaChunk<T>::Size(shape);
}

template <class T>
void DeltaRule(const DeltaRuleShape& shape, const T* qkv, const T* beta, const T* log_decay, T* s,
               T* y, T* states, T* scratch) {
  Pieces<T> room(scratch);
  DeltaChunk<T> chunk(shape, room);
  const int64_t size = shape.state();
  for (int64_t row = 0; row < shape.rows; ++row) {
    const int64_t real = internal::RealTokens(shape, row), end = (row + 1) * shape.steps;
    std::fill(y + (row * shape.steps + real) * shape.values(), y + end * shape.values(), T{0});
    for (int64_t head = 0; head < shape.heads; ++head) {
      const int64_t own = row * shape.heads + head;
      T* state = s + own * size;
      for (int64_t first = 0; first < real; first += shape.chunk) {
        const DeltaPlace at{row, head, first, std::min(shape.chunk, real - first)};
        const bool fresh = shape.pos[row * shape.steps + first] == 0;
        if (fresh) std::fill_n(state, size, T{0});
        if (states != nullptr) {
          std::copy_n(state, size, states + (own * shape.chunks() + first / shape.chunk) * size);
        }
        internal::OpenChunk(shape, at, qkv, beta, log_decay, fresh ? nullptr : state, chunk);
        CloseChunk(shape, at, chunk, state, y);
      }
    }
  }
}

template <class T>
void DeltaRuleStep(const DeltaRuleShape& shape, int64_t pos, const T* qkv, const T* beta,
                   const T* log_decay, T* s, T* y, T* scratch) {
  const int64_t dk = shape.d_key, dv = shape.d_value, keys = shape.heads * dk;
  if (pos == 0) std::fill_n(s, shape.heads * shape.state(), T{0});
  std::fill_n(y, shape.values(), T{0});
  T* u = scratch;
  for (int64_t head = 0; head < shape.heads; ++head, s += shape.state(), y += dv) {
    const T *q = qkv + head * dk, *k = q + keys, *v = qkv + 2 * keys + head * dv;
    const T decay = log_decay == nullptr ? T{1} : Exp(log_decay[head]);
    std::fill_n(u, dv, T{0});
    for (int64_t a = 0; a < dk; ++a) Axpy(dv, k[a], s + a * dv, u);
#pragma omp simd
    for (int64_t j = 0; j < dv; ++j) u[j] = beta[head] * (v[j] - decay * u[j]);
    for (int64_t a = 0; a < dk; ++a) {
      T* row = s + a * dv;
      const T key = k[a], query = static_cast<T>(shape.scale) * q[a];
#pragma omp simd
      for (int64_t j = 0; j < dv; ++j) {
        row[j] = decay * row[j] + key * u[j];
        y[j] += query * row[j];
      }
    }
  }
}

#define SSM_INSTANTIATE(T)                                                                      \
  template int64_t DeltaRuleScratch<T>(const DeltaRuleShape&);                                  \
  template void DeltaRule(const DeltaRuleShape&, const T*, const T*, const T*, T*, T*, T*, T*); \
  template void DeltaRuleStep(const DeltaRuleShape&, int64_t, const T*, const T*, const T*, T*, \
                              T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
