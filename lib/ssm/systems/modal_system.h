// Systems whose state matrix is diagonal, with complex modes.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "ssm/systems/matrix.h"

namespace ssm {

/// A row-major matrix of complex doubles. Entry (i, j) is values[i * cols + j].
struct ComplexMatrix {
  int64_t rows = 0, cols = 0;
  std::vector<std::complex<double>> values;

  ComplexMatrix() = default;
  /// m x n, all zero.
  ComplexMatrix(int64_t m, int64_t n)
      : rows(m), cols(n), values(static_cast<size_t>(m * n), std::complex<double>{}) {}

  std::complex<double>& operator()(int64_t i, int64_t j) {
    return values[static_cast<size_t>(i * cols + j)];
  }
  const std::complex<double>& operator()(int64_t i, int64_t j) const {
    return values[static_cast<size_t>(i * cols + j)];
  }
};

/// One mode of a modal system.
struct SystemMode {
  std::complex<double> pole;
  /// Whether it stands for a conjugate pair and counts twice: y = 2 Re(C h). Otherwise its pole,
  /// its row of B and its column of C are real, and y = C h. (A pair's discrete pole may be real,
  /// so the pole does not say.)
  bool pair = false;
};

/// What both kinds of modal systems hold: m inputs, p outputs.
struct ModalMatrices {
  std::vector<SystemMode> modes;
  ComplexMatrix B;  // [modes, m]
  ComplexMatrix C;  // [p, modes]
  Matrix D;         // [p, m]

  int64_t inputs() const { return B.cols; }
  int64_t outputs() const { return C.rows; }
  /// Real states: two for each pair.
  int64_t states() const;
};

/// h' = diag(poles) h + B x, y = sum over modes of (2 Re) C h, and D x.
struct ContinuousModalSystem : ModalMatrices {};
/// h_t = diag(poles) h_{t-1} + B x_t, y_t likewise, in DiscreteSystem's time convention.
struct DiscreteModalSystem : ModalMatrices {};

/// One sentence for each fault: shapes, numbers that are not finite, a mode that is no pair and not
/// real. Empty when there is none.
std::vector<std::string> FaultsOf(const ModalMatrices& system);

}  // namespace ssm
