// Random inputs for the laws: rows at different phases, starts in mid-sequence, right padding,
// irregular time.
#pragma once

#include <cstdint>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/mixers/state.h"
#include "ssm/nn/parameters.h"
#include "ssm/tensor/array.h"

namespace ssm {

/// What a subject reads and writes.
struct LawIo {
  int64_t reals = 0;                  // C
  std::vector<int64_t> vocabularies;  // F id fields
  int64_t outputs = 1;                // O
  bool per_step_dt = true;
};

/// An owned piece of input. Absent parts have size 0.
template <Scalar T>
struct LawBatch {
  int64_t rows = 0, steps = 0;
  Array<T> x;        // [B, T, C]
  IntArray tokens;   // [B, T, F]
  Array<T> dt;       // [B, T]
  IntArray start;    // [B, T]
  IntArray lengths;  // [B]

  LawBatch Clone() const;
  /// Tokens [from, from + n) of every row, in memory of its own.
  LawBatch Slice(int64_t from, int64_t n) const;
  /// The given rows, in that order.
  LawBatch Rows(const std::vector<int64_t>& rows) const;
  /// Whether token t of row b is real.
  bool Real(int64_t b, int64_t t) const { return lengths.size() == 0 || t < lengths[b]; }
};

/// Which of the optional parts a case has.
struct LawShape {
  int64_t rows = 3, steps = 1;
  bool dt = false, starts = false, padding = false;
};

/// x ~ N(0, 1), ids uniform, dt ~ U(0.25, 2), a start with probability 1/5 at each token and at
/// least one in some row, lengths uniform in [0, T].
template <Scalar T>
LawBatch<T> DrawBatch(const LawIo& io, const LawShape& shape, Random& random);

/// Cuts of [0, T) into pieces of at least one token: one cut of a single token more often than
/// chance would have it. T >= 1; returns the lengths of the pieces.
std::vector<int64_t> DrawCuts(int64_t steps, Random& random);

/// N(0, 1) of a shape.
template <Scalar T>
Array<T> DrawNormal(const Shape& shape, Random& random);

/// The initial parameters, each plus 0.1 N(0, 1): no tensor is left at a special point.
template <Scalar T>
Parameters<T> PerturbedParameters(const ParameterStore& store, uint64_t seed);

/// Rows of a state, in that order.
template <Scalar T>
State<T> StateRows(const State<T>& state, const std::vector<int64_t>& rows);

}  // namespace ssm
