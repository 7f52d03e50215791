// Dense matrix products on row-major raw arrays.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// What a product does with the destination.
enum class Write { kAssign, kAdd };

/// C [m, n] = or += A [m, k] B [k, n]. Single-threaded and without heap allocation: packing buffers
/// lie on the stack (at most 2 MB). Cost 2 m n k FLOPs. Empty axes are legal (k = 0 assigns zeros).
/// The same sizes give the same bits, whatever else the process does.
template <class T>
void Gemm(int64_t m, int64_t n, int64_t k, const T* a, const T* b, T* c, Write write);

/// C [m, n] = or += A [m, k] B^T, B [n, k]: rows through a weight matrix. Few rows (m <= 8) take a
/// path of dot products, without packing: streaming.
template <class T>
void GemmTransposedB(int64_t m, int64_t n, int64_t k, const T* a, const T* b, T* c, Write write);

/// The same, every row with the bits it has alone, however many there are: the dot products of few
/// rows for any number of them. Some times slower than tiles of many rows.
template <class T>
void GemmTransposedBByRow(int64_t m, int64_t n, int64_t k, const T* a, const T* b, T* c,
                          Write write);

/// C [m, n] = or += A^T B, A [k, m], B [k, n]: gradients of weights, k = batch * time.
template <class T>
void GemmTransposedA(int64_t m, int64_t n, int64_t k, const T* a, const T* b, T* c, Write write);

}  // namespace ssm::kernels
