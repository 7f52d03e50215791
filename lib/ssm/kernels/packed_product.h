// Products of a few rows with one matrix, again and again: a recurrence multiplies by the same
// weights at every token.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// Columns of a product's rows: `columns` rounded up to whole panels.
template <class T>
int64_t PackedColumns(int64_t columns);
/// Elements of a packed matrix [depth, columns] with its bias.
template <class T>
int64_t PackedSize(int64_t depth, int64_t columns);

/// Packs M [depth, columns] and no bias.
template <class T>
void Pack(int64_t depth, int64_t columns, const T* m, T* packed);
/// Packs M = W^T, W [columns, depth], and `bias` [columns] (null: zeros).
template <class T>
void PackTransposed(int64_t depth, int64_t columns, const T* w, const T* bias, T* packed);

/// y [rows, PackedColumns(columns)] = bias + x M, row i of x [rows, depth] at x + i * stride; the
/// columns beyond `columns` are 0. A row's bits do not depend on the rows beside it: each element
/// is one sum in the order of the depth. Cost 2 rows depth columns FLOPs, packing one pass over M.
template <class T>
void MultiplyPacked(int64_t rows, int64_t depth, int64_t columns, const T* x, int64_t stride,
                    const T* packed, T* y);

}  // namespace ssm::kernels
