#include "ssm/kernels/matrix_state.h"

#include "ssm/kernels/matrix_state_chunk-inl.h"

namespace ssm::kernels {
namespace {

constexpr double kExpFlops = 20;

/// Of one chunk of n tokens.
MatrixStateFlops ChunkFlops(const MatrixStateShape& shape, int64_t n) {
  const auto number = [](int64_t i) { return static_cast<double>(i); };
  const double tokens = number(n), d_k = number(shape.d_k), columns = number(shape.columns());
  const double pairs = tokens * (tokens + 1) / 2, heads = number(shape.heads);
  // Seen times values, queries times the state, the new state.
  double products = heads * (2 * tokens * tokens * columns + 4 * tokens * d_k * columns);
  double others = heads * (2 * tokens * d_k + d_k * columns);
  if (shape.decay != MatrixDecay::kKey) {
    products += number(shape.groups) * 2 * tokens * tokens * d_k;
    others += heads * pairs * (shape.decay == MatrixDecay::kHead ? 2 + kExpFlops : 1);
    return {products, products + others};
  }
  for (int64_t s = 0; s < n; s += kKeyBlock) {
    const double m = number(std::min(kKeyBlock, n - s)), before = number(s);
    products += heads * 2 * m * before * d_k;
    others += heads * d_k * (3 * m * (m + 1) / 2 + 2 * before + 4 * m);
  }
  others += heads * tokens * d_k * kExpFlops;
  return {products, products + others};
}

/// y and the next state of a chunk of one head.
template <class T>
void StepChunk(const MatrixStateShape& shape, const MatrixChunk& chunk, const ChunkRoom<T>& room,
               T* state) {
  const int64_t n = chunk.size, d_k = shape.d_k, columns = shape.columns();
  Gemm(n, columns, n, room.seen, room.v, room.y, Write::kAssign);
  if (chunk.ReadsState()) {
    Gemm(n, columns, d_k, room.q_in, state, room.y, Write::kAdd);
    ScaleRows(d_k, columns, room.total, state, state);
  }
  GemmTransposedA(d_k, columns, n, room.k_out, room.v, state,
                  chunk.ReadsState() ? Write::kAdd : Write::kAssign);
}

}  // namespace

MatrixStateFlops CountFlops(const MatrixStateShape& shape) {
  MatrixStateFlops sum;
  for (int64_t c = 0; c < shape.chunks(); ++c) {
    const MatrixStateFlops chunk =
        ChunkFlops(shape, std::min(shape.chunk, shape.steps - c * shape.chunk));
    sum.products += chunk.products * static_cast<double>(shape.rows);
    sum.total += chunk.total * static_cast<double>(shape.rows);
  }
  return sum;
}

int64_t MatrixStateScratch(const MatrixStateShape& shape) { return ChunkRoom<float>::Size(shape); }

template <class T>
void MatrixStateForward(const MatrixStateShape& shape, const MatrixStateInputs<T>& in, T* state,
                        T* y, T* kept, T* scratch) {
  Pieces<T> pieces(scratch);
  const ChunkRoom<T> room(shape, pieces);
  const int64_t heads_each = shape.heads / shape.groups, columns = shape.columns();
  for (int64_t row = 0; row < shape.rows; ++row) {
    T* states = state + row * shape.state_size();
    for (int64_t c = 0; c < shape.chunks(); ++c) {
      const MatrixChunk chunk = ChunkAt(shape, row, c);
      if (c > 0 && kept != nullptr) {
        std::copy_n(states, shape.state_size(),
                    kept + (row * shape.kept() + c - 1) * shape.state_size());
      }
      for (int64_t head = 0; head < shape.heads; ++head) {
        if (head % heads_each == 0) OpenGroup(shape, chunk, in, head / heads_each, room);
        OpenHead(shape, chunk, in, head, room);
        StepChunk(shape, chunk, room, states + head * shape.head_size());
        T* to = y + chunk.first * shape.heads * columns + head * columns;
        for (int64_t i = 0; i < chunk.size; ++i) {
          std::copy_n(room.y + i * columns, columns, to + i * shape.heads * columns);
        }
      }
    }
  }
}

template <class T>
void MatrixStateStep(const MatrixStateShape& shape, const T* q, const T* k, const T* v,
                     const T* decay, bool start, T* state, T* y) {
  const int64_t columns = shape.columns(), heads_each = shape.heads / shape.groups;
  const T scale = static_cast<T>(shape.scale);
  for (int64_t head = 0; head < shape.heads; ++head, v += shape.d_v, y += columns) {
    const T *queries = q + head / heads_each * shape.d_k, *keys = k + head / heads_each * shape.d_k;
    std::fill_n(y, columns, T{0});
    for (int64_t d = 0; d < shape.d_k; ++d, state += columns) {
      T factor = 1;
      if (decay != nullptr) {
        factor = shape.decay == MatrixDecay::kKey ? decay[head * shape.d_k + d] : decay[head];
      }
      if (start) {
        std::fill_n(state, columns, T{0});
        factor = 0;
      }
      const T key = keys[d], query = scale * queries[d];
#pragma omp simd
      for (int64_t j = 0; j < shape.d_v; ++j) {
        state[j] = factor * state[j] + key * v[j];
        y[j] += query * state[j];
      }
      if (shape.ones) {
        state[shape.d_v] = factor * state[shape.d_v] + key;
        y[shape.d_v] += query * state[shape.d_v];
      }
    }
  }
}

#define SSM_INSTANTIATE(T)                                                                       \
  template void MatrixStateForward(const MatrixStateShape&, const MatrixStateInputs<T>&, T*, T*, \
                                   T*, T*);                                                      \
  template void MatrixStateStep(const MatrixStateShape&, const T*, const T*, const T*, const T*, \
                                bool, T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
