// A batch of sequences cut in time, as tasks give it and models take it.
#pragma once

#include "ssm/tensor/array.h"

namespace ssm {

/// Views of what a model reads over T consecutive tokens of B rows. Null means absent. Everything
/// is borrowed: it must outlive the tape's Backward.
template <Scalar T>
struct Piece {
  const Array<T>* reals = nullptr;   // [B, T, C]
  const IntArray* tokens = nullptr;  // [B, T, F]: F id fields whose embeddings are summed
  const Array<T>* dt = nullptr;  // [B, T] time since the token before, in units of the trained step
  const IntArray* start = nullptr;    // [B, T] 1 where a sequence starts
  const IntArray* lengths = nullptr;  // [B] real tokens; the rest is right padding
};

}  // namespace ssm
