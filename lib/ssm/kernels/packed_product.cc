#include "ssm/kernels/packed_product.h"

#include "ssm/kernels/product_tile-inl.h"

namespace ssm::kernels {
namespace {

constexpr int kPanelVectors = 2;
template <class T>
constexpr int64_t kPanel = kPanelVectors* kVectorLanes<T>;

/// A packed matrix is its panels, one after another, each [1 + depth, kPanel]: the bias first.
/// at(k, j) is the matrix's element, or the bias's for k = -1.
template <class T, class Element>
void PackPanels(int64_t depth, int64_t columns, T* packed, Element at) {
  for (int64_t first = 0; first < columns; first += kPanel<T>) {
    for (int64_t k = -1; k < depth; ++k) {
      for (int64_t j = first; j < first + kPanel<T>; ++j) *packed++ = j < columns ? at(k, j) : T{0};
    }
  }
}

/// R rows of one panel's columns, their sums in registers.
template <class T, int R>
inline void MultiplyTile(int64_t depth, const T* x, int64_t stride, const T* panel, T* y,
                         int64_t y_stride) {
  const LaneTag<T> tag;
  LaneVec<T> sums[R][kPanelVectors];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < kPanelVectors; ++v) {
      sums[r][v] = hn::LoadU(tag, panel + v * kVectorLanes<T>);
    }
  }
  AddTile<T, R, kPanelVectors>(depth, {x, stride, 1}, panel + kPanel<T>, kPanel<T>, sums);
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < kPanelVectors; ++v) {
      hn::StoreU(sums[r][v], tag, y + r * y_stride + v * kVectorLanes<T>);
    }
  }
}

/// All rows of one panel's columns: tiles of R, what is left in smaller ones.
template <class T, int R>
void MultiplyPanel(int64_t rows, int64_t depth, const T* x, int64_t stride, const T* panel, T* y,
                   int64_t y_stride) {
  for (; rows >= R; rows -= R, x += R * stride, y += R * y_stride) {
    MultiplyTile<T, R>(depth, x, stride, panel, y, y_stride);
  }
  if constexpr (R > 1) MultiplyPanel<T, R / 2>(rows, depth, x, stride, panel, y, y_stride);
}

}  // namespace

template <class T>
int64_t PackedColumns(int64_t columns) {
  return (columns + kPanel<T> - 1) / kPanel<T> * kPanel<T>;
}

template <class T>
int64_t PackedSize(int64_t depth, int64_t columns) {
  return (1 + depth) * PackedColumns<T>(columns);
}

template <class T>
void Pack(int64_t depth, int64_t columns, const T* m, T* packed) {
  PackPanels(depth, columns, packed,
             [=](int64_t k, int64_t j) { return k < 0 ? T{0} : m[k * columns + j]; });
}

template <class T>
void PackTransposed(int64_t depth, int64_t columns, const T* w, const T* bias, T* packed) {
  PackPanels(depth, columns, packed, [=](int64_t k, int64_t j) {
    if (k >= 0) return w[j * depth + k];
    return bias == nullptr ? T{0} : bias[j];
  });
}

template <class T>
void MultiplyPacked(int64_t rows, int64_t depth, int64_t columns, const T* x, int64_t stride,
                    const T* packed, T* y) {
  const int64_t padded = PackedColumns<T>(columns);
  for (int64_t first = 0; first < padded; first += kPanel<T>) {
    const T* panel = packed + first * (1 + depth);
    MultiplyPanel<T, kTileRows<T>>(rows, depth, x, stride, panel, y + first, padded);
  }
}

#define SSM_INSTANTIATE(T)                                                \
  template int64_t PackedColumns<T>(int64_t);                             \
  template int64_t PackedSize<T>(int64_t, int64_t);                       \
  template void Pack(int64_t, int64_t, const T*, T*);                     \
  template void PackTransposed(int64_t, int64_t, const T*, const T*, T*); \
  template void MultiplyPacked(int64_t, int64_t, int64_t, const T*, int64_t, const T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
