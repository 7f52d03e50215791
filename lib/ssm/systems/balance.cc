#include "ssm/systems/balance.h"

#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

/// 2-norms of a row and of a column, the diagonal left out. std::hypot neither over- nor
/// underflows.
struct RowAndColumn {
  double row = 0, column = 0;

  RowAndColumn(const Matrix& A, int64_t i) {
    for (int64_t j = 0; j < A.rows; ++j) {
      if (j == i) continue;
      row = std::hypot(row, A(i, j));
      column = std::hypot(column, A(j, i));
    }
  }
};

/// The power of two that brings the row down to the column; 0 where little is to be gained.
int Shift(const RowAndColumn& norms) {
  constexpr double kGain = 0.95;
  if (norms.row == 0 || norms.column == 0) return 0;
  const double ratio = std::log2(norms.row) - std::log2(norms.column);
  const int shift = static_cast<int>(std::lround(ratio / 2));
  const double after = std::hypot(std::ldexp(norms.row, -shift), std::ldexp(norms.column, shift));
  return after < kGain * std::hypot(norms.row, norms.column) ? shift : 0;
}

}  // namespace

BalancedMatrix Balance(const Matrix& A) {
  SSM_CHECK(A.rows == A.cols, "only square matrices are balanced");
  constexpr int kMostSweeps = 100;
  constexpr int kFurthest = 450;  // D_i / D_j and what it scales stay within double
  BalancedMatrix balanced{A, std::vector<int>(static_cast<size_t>(A.rows), 0)};
  Matrix& m = balanced.matrix;
  bool changed = true;
  for (int sweep = 0; sweep < kMostSweeps && changed; ++sweep) {
    changed = false;
    for (int64_t i = 0; i < m.rows; ++i) {
      int& exponent = balanced.exponents[static_cast<size_t>(i)];
      const int wanted = exponent + Shift(RowAndColumn(m, i));
      const int shift = std::clamp(wanted, -kFurthest, kFurthest) - exponent;
      if (shift == 0) continue;
      changed = true;
      exponent += shift;
      for (int64_t j = 0; j < m.rows; ++j) {
        if (j == i) continue;
        m(i, j) = std::ldexp(m(i, j), -shift);
        m(j, i) = std::ldexp(m(j, i), shift);
      }
    }
  }
  return balanced;
}

}  // namespace ssm
