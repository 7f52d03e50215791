#include "ssm/kernels/memory_cell.h"

#include <algorithm>

#include "ssm/kernels/elementary.h"
#include "ssm/kernels/packed_product.h"
#include "ssm/kernels/slices.h"

namespace ssm::kernels {
namespace {

/// Where each packed weight begins.
struct PackedParts {
  int64_t encode_h = 0, encode_c = 0, weight_c = 0, weight_h = 0, end = 0;
};

template <class T>
PackedParts PartsOf(const MemoryCellShape& s) {
  PackedParts parts;
  parts.encode_c = parts.encode_h + PackedSize<T>(s.hidden, s.memories());
  parts.weight_c = parts.encode_c + (s.encodes_c ? PackedSize<T>(s.kept(), s.memories()) : 0);
  parts.weight_h = parts.weight_c + PackedSize<T>(s.kept(), s.width());
  parts.end = parts.weight_h + (s.recurs ? PackedSize<T>(s.hidden, s.width()) : 0);
  return parts;
}

/// out [rows, columns] += x [rows, depth] M.
template <class T>
void AddProduct(int64_t rows, int64_t depth, int64_t columns, const T* x, const T* packed, T* out,
                T* product) {
  MultiplyPacked(rows, depth, columns, x, depth, packed, product);
  const int64_t stride = PackedColumns<T>(columns);
  for (int64_t row = 0; row < rows; ++row) {
    Axpy(columns, T{1}, product + row * stride, out + row * columns);
  }
}

/// h from p [G H]; gates [G H] keeps what the step back needs, null: nothing.
template <class T>
void StepCell(const MemoryCellShape& s, const T* p, T* h, T* gates) {
  const int64_t n = s.hidden;
  if (s.cell == MemoryCell::kTanh) {
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) h[j] = Tanh(p[j]);
    return;
  }
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    const T candidate = Tanh(p[j]), gate = Sigmoid(p[n + j]);
    h[j] = (1 - gate) * h[j] + gate * candidate;
    gates[j] = candidate;
    gates[n + j] = gate;
  }
}

}  // namespace

template <class T>
int64_t PackedMemoryCellSize(const MemoryCellShape& shape) {
  return PartsOf<T>(shape).end;
}

template <class T>
void PackMemoryCell(const MemoryCellShape& shape, const MemoryCellWeights<const T*>& weights,
                    T* packed) {
  const PackedParts parts = PartsOf<T>(shape);
  const auto pack = [&](int64_t depth, int64_t columns, const T* from, int64_t to) {
    PackTransposed<T>(depth, columns, from, nullptr, packed + to);
  };
  pack(shape.hidden, shape.memories(), weights.encode_h, parts.encode_h);
  if (shape.encodes_c) pack(shape.kept(), shape.memories(), weights.encode_c, parts.encode_c);
  pack(shape.kept(), shape.width(), weights.weight_c, parts.weight_c);
  if (shape.recurs) pack(shape.hidden, shape.width(), weights.weight_h, parts.weight_h);
}

template <class T>
int64_t MemoryCellScratch(const MemoryCellShape& s) {
  const int64_t widest = std::max(PackedColumns<T>(s.memories()), PackedColumns<T>(s.width()));
  return s.scan.rows * (s.memories() + s.width() + widest) + s.width() +
         MemoryStepScratch<T>(s.scan.memory, s.scan.rows);
}

template <class T>
void MemoryCellScan(const MemoryCellShape& s, const T* packed,
                    const MemoryCoefficients<T>& coefficients, const T* u_in, const T* p_in, T* h,
                    T* c, T* y, const MemoryCellTrace<T>& trace, T* scratch) {
  const int64_t rows = s.scan.rows, steps = s.scan.steps, many = s.memories(), n = s.hidden;
  const PackedParts parts = PartsOf<T>(s);
  T *spare = scratch, *u = spare + MemoryStepScratch<T>(s.scan.memory, rows);
  T *p = u + rows * many, *unkept = p + rows * s.width(), *product = unkept + s.width();
  for (int64_t t = 0; t < steps; ++t) {
    const MemoryPositions positions = s.scan.At(t);
    for (int64_t row = 0; row < rows; ++row) {
      if (positions.At(row) != 0) continue;
      std::fill_n(h + row * n, n, T{0});
      std::fill_n(c + row * s.kept(), s.kept(), T{0});
    }
    GatherSlice(rows, steps, t, many, u_in, u);
    AddProduct(rows, n, many, h, packed + parts.encode_h, u, product);
    if (s.encodes_c) AddProduct(rows, s.kept(), many, c, packed + parts.encode_c, u, product);
    StepMemory(s.scan.memory, coefficients, rows, positions, u, c, spare);
    GatherSlice(rows, steps, t, s.width(), p_in, p);
    AddProduct(rows, s.kept(), s.width(), c, packed + parts.weight_c, p, product);
    if (s.recurs) AddProduct(rows, n, s.width(), h, packed + parts.weight_h, p, product);
    for (int64_t row = 0; row < rows; ++row) {
      if (positions.At(row) < 0) continue;
      T* gates = trace.gates == nullptr ? unkept : trace.gates + (row * steps + t) * s.width();
      StepCell(s, p + row * s.width(), h + row * n, gates);
    }
    ScatterSlice(rows, steps, t, n, h, y);
    if (trace.u != nullptr) ScatterSlice(rows, steps, t, many, u, trace.u);
    if (trace.c != nullptr) ScatterSlice(rows, steps, t, s.kept(), c, trace.c);
  }
}

#define SSM_INSTANTIATE(T)                                                                      \
  template int64_t PackedMemoryCellSize<T>(const MemoryCellShape&);                             \
  template void PackMemoryCell(const MemoryCellShape&, const MemoryCellWeights<const T*>&, T*); \
  template int64_t MemoryCellScratch<T>(const MemoryCellShape&);                                \
  template void MemoryCellScan(const MemoryCellShape&, const T*, const MemoryCoefficients<T>&,  \
                               const T*, const T*, T*, T*, T*, const MemoryCellTrace<T>&, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
