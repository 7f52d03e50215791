// Memories of fixed projections stepped by one token: dense ones, and HiPPO-LegS by its structure.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// How a memory moves by a token.
enum class MemoryRule {
  kDense,         // c <- A_bar c + B_bar u, the same at all times
  kLegsForward,   // c <- (I + A/t) c + (B/t) u, LegS's A and B
  kLegsBackward,  // c <- (I - A/t)^-1 (c + (B/t) u)
  kLegsBilinear,  // c <- (I - A/2t)^-1 ((I + A/2t) c + (B/t) u)
  kLegsExact,     // c <- e^{A ln((t + 1)/t)} c + what it makes of B u held, from t to t + 1
};

/// What t is at the token at position p of its sequence: p + 1 after c = 0; or the first token sets
/// c = (u, 0, ...) and t = p from then on.
enum class MemoryStart { kZero, kFirstSample };

struct MemoryShape {
  MemoryRule rule = MemoryRule::kDense;
  MemoryStart start = MemoryStart::kZero;  // of LegS
  int64_t memories = 0, order = 0;         // M signals are kept in N numbers each
  const double* tables = nullptr;          // of kLegsExact: LegsExact's, borrowed

  int64_t width() const { return memories * order; }
  bool legs() const { return rule != MemoryRule::kDense; }
  /// FLOPs of one token, the exact rule's O(N^2) once a position aside.
  double Flops() const {
    const double n = static_cast<double>(order), numbers = static_cast<double>(width());
    if (rule == MemoryRule::kDense) return 2 * numbers * (n + 1);
    return numbers * (rule == MemoryRule::kLegsExact ? 4 * n : 14);
  }
};

/// Where one token of each row stands: pos[row * stride], or 1 for all rows where pos is null.
struct MemoryPositions {
  const int64_t* pos = nullptr;
  int64_t stride = 1;
  int64_t At(int64_t row) const { return pos == nullptr ? 1 : pos[row * stride]; }
};

/// The coefficients of a dense memory, both null for LegS: A_bar - 1 [N, N] packed, transposed for
/// a step (PackTransposed) and as it is for a step back (Pack); B_bar [N].
template <class T>
struct MemoryCoefficients {
  const T* packed = nullptr;
  const T* b_bar = nullptr;
};

/// Elements of scratch of either function, which begins where a double may.
template <class T>
int64_t MemoryStepScratch(const MemoryShape& shape, int64_t rows);

/// One token: c [rows, M, N] in place, u [rows, M]. At position 0 the state before is zero, at -1
/// nothing moves. LegS sums in double. A row's bits do not depend on the rows beside it. Cost of a
/// row 2 M N^2 FLOPs, of LegS some 10 M N, by the exact rule 4 M N^2 and 4 N^2 once a position.
template <class T>
void StepMemory(const MemoryShape& shape, const MemoryCoefficients<T>& coefficients, int64_t rows,
                const MemoryPositions& positions, const T* u, T* c, T* scratch);

/// The transpose: g [rows, M, N], the gradient of the state after, becomes that of the state
/// before, zero at position 0; gu [rows, M] is set, to zero at -1. The same cost.
template <class T>
void StepMemoryBack(const MemoryShape& shape, const MemoryCoefficients<T>& coefficients,
                    int64_t rows, const MemoryPositions& positions, T* g, T* gu, T* scratch);

}  // namespace ssm::kernels
