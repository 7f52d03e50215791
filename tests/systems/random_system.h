// Systems for tests, and how far two arrays of numbers are apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "ssm/systems/linear_system.h"
#include "ssm/tensor/array.h"
#include "support/numbers.h"

namespace ssm::test {

inline Matrix RandomMatrix(int64_t rows, int64_t cols, uint64_t seed, double scale = 1) {
  Matrix matrix(rows, cols);
  matrix.values = Numbers<double>(rows * cols, seed);
  for (double& entry : matrix.values) entry *= scale;
  return matrix;
}

/// Stable: A is -1 and something with rows of absolute sum below 0.9.
inline ContinuousSystem RandomStable(int64_t n, int64_t m, int64_t p, uint64_t seed) {
  const double row = 0.9 / (1.74 * static_cast<double>(std::max<int64_t>(n, 1)));
  ContinuousSystem system{RandomMatrix(n, n, seed, row), RandomMatrix(n, m, seed + 1),
                          RandomMatrix(p, n, seed + 2), RandomMatrix(p, m, seed + 3)};
  for (int64_t i = 0; i < n; ++i) system.A(i, i) -= 1;
  return system;
}

inline Array<double> RandomInput(int64_t steps, int64_t inputs, uint64_t seed) {
  Array<double> x(Shape{steps, inputs});
  const std::vector<double> numbers = Numbers<double>(steps * inputs, seed);
  std::copy(numbers.begin(), numbers.end(), x.data());
  return x;
}

/// max |a - b| / max |b|, or max |a - b| where b is zero; infinite for other sizes or NaN.
inline double Distance(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return INFINITY;
  double difference = 0, scale = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!(std::fabs(a[i] - b[i]) <= difference)) difference = std::fabs(a[i] - b[i]);
    if (std::isnan(difference)) return INFINITY;
    scale = std::max(scale, std::fabs(b[i]));
  }
  return scale > 0 ? difference / scale : difference;
}
inline double Distance(const Matrix& a, const Matrix& b) {
  return a.rows == b.rows && a.cols == b.cols ? Distance(a.values, b.values) : INFINITY;
}

/// max |a - b| / |b|, entry by entry; 0 against 0.
inline double RelativeDistance(const Matrix& a, const Matrix& b) {
  if (a.rows != b.rows || a.cols != b.cols) return INFINITY;
  double worst = 0;
  for (size_t i = 0; i < a.values.size(); ++i) {
    if (a.values[i] == b.values[i]) continue;
    const double relative = std::fabs(a.values[i] - b.values[i]) / std::fabs(b.values[i]);
    if (!(relative <= worst)) worst = relative;
  }
  return std::isnan(worst) ? INFINITY : worst;
}

}  // namespace ssm::test
