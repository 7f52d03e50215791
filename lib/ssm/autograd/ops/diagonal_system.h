// What the ops over diagonal systems share: shapes, tiles, kernel views.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/autograd/ops/discretize_diagonal.h"
#include "ssm/kernels/s4d_scan.h"

namespace ssm::internal {

/// D, M and the field of a system on a tape.
struct DiagonalSizes {
  int64_t channels = 0, modes = 0;
  bool complex = true;
};

/// @throws Error(kInternal) when the shapes of the system and of c (when given) disagree.
template <Scalar T>
DiagonalSizes SizesOf(const Tape<T>& tape, const DiscreteDiagonal<T>& system, Var<T> c);

/// [rows, D, M, 2] or [rows, D, M].
Shape StateShape(const DiagonalSizes& sizes, int64_t rows);

/// The tiles of a clock, in the tape's arena: see kernels::TimeTiles.
struct Tiles {
  Ints flat;
  int64_t checkpoints = 0;
};
template <Scalar T>
Tiles MakeTiles(Tape<T>& tape, const Clock& clock);

/// The system as kernels see it. c and skip may be none. Only on a live tape.
template <Scalar T>
kernels::DiagonalSystem<T> KernelView(const Tape<T>& tape, const DiagonalSizes& sizes,
                                      const DiscreteDiagonal<T>& system, Var<T> c, Var<T> skip);

/// Null for none.
template <Scalar T>
const T* ValueOrNull(const Tape<T>& tape, Var<T> var) {
  return var ? tape.value(var) : nullptr;
}
template <Scalar T>
const T* GradOrNull(const Tape<T>& tape, Var<T> var) {
  return var ? tape.grad(var) : nullptr;
}

/// The fused scan behind S4dScan, DiagonalResponse and DiagonalFinalState: y only when c is given,
/// x and h0 may be none, `last` only when wanted.
template <Scalar T>
struct ScanArguments {
  const char* name = nullptr;
  Var<T> x, c, skip, h0;
  DiscreteDiagonal<T> system;
  bool want_last = false;
};
template <Scalar T>
struct ScanResults {
  Var<T> y, last;
};
template <Scalar T>
ScanResults<T> RecordScan(Tape<T>& tape, const ScanArguments<T>& arguments, const Clock& clock);

}  // namespace ssm::internal
