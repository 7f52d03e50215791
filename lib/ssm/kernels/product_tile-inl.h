// The inner loop of small dense products, in SIMD lanes. Only kernels' .cc files include this.
#pragma once

#include "ssm/kernels/lanes-inl.h"

namespace ssm::kernels {

/// A tile is at most two vectors wide. Eight rows by two vectors leave enough of 32 registers for
/// the factors; narrow vectors come with 16 registers.
template <class T>
inline constexpr int kTileRows = kVectorLanes<T> * sizeof(T) >= 64 ? 8 : 4;

/// Where the factor of row r at depth k lies: from + r * row + k * depth.
template <class T>
struct TileFactor {
  const T* from;
  int64_t row, depth;
};

/// sums [R rows, V vectors] += x m, row k of m at m + k * m_stride. Each element is one sum in the
/// order of the depth.
template <class T, int R, int V>
inline void AddTile(int64_t depth, const TileFactor<T>& x, const T* m, int64_t m_stride,
                    LaneVec<T> (&sums)[R][V]) {
  const LaneTag<T> tag;
  for (int64_t k = 0; k < depth; ++k) {
    LaneVec<T> w[V];
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) w[v] = hn::LoadU(tag, m + k * m_stride + v * kVectorLanes<T>);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const LaneVec<T> factor = hn::Set(tag, x.from[r * x.row + k * x.depth]);
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) sums[r][v] = hn::MulAdd(factor, w[v], sums[r][v]);
    }
  }
}

/// y [R, V vectors] += x m.
template <class T, int R, int V>
inline void AddTileTo(int64_t depth, const TileFactor<T>& x, const T* m, int64_t stride, T* y) {
  const LaneTag<T> tag;
  LaneVec<T> sums[R][V];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) sums[r][v] = hn::LoadU(tag, y + r * stride + v * kVectorLanes<T>);
  }
  AddTile<T, R, V>(depth, x, m, stride, sums);
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) hn::StoreU(sums[r][v], tag, y + r * stride + v * kVectorLanes<T>);
  }
}

/// Columns of a matrix of whole vectors.
template <class T>
inline int64_t WholeVectors(int64_t columns) {
  return (columns + kVectorLanes<T> - 1) / kVectorLanes<T> * kVectorLanes<T>;
}

/// y [rows, columns] += x [rows, depth] m [depth, columns], columns whole vectors. A row's bits do
/// not depend on the rows beside it.
template <class T, int R = kTileRows<T>>
inline void AddProduct(int64_t rows, int64_t depth, int64_t columns, TileFactor<T> x, const T* m,
                       T* y) {
  constexpr int64_t kTwo = 2 * kVectorLanes<T>;
  for (; rows >= R; rows -= R, x.from += R * x.row, y += R * columns) {
    int64_t j = 0;
    for (; j + kTwo <= columns; j += kTwo) AddTileTo<T, R, 2>(depth, x, m + j, columns, y + j);
    if (j < columns) AddTileTo<T, R, 1>(depth, x, m + j, columns, y + j);
  }
  if constexpr (R > 1) AddProduct<T, R / 2>(rows, depth, columns, x, m, y);
}

}  // namespace ssm::kernels
