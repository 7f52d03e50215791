// Real matrices of linear systems, as values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace ssm {

/// A row-major matrix of doubles; zero-sized ones are legal. Entry (i, j) is values[i * cols + j].
struct Matrix {
  int64_t rows = 0, cols = 0;
  std::vector<double> values;

  Matrix() = default;
  /// m x n, all zero.
  Matrix(int64_t m, int64_t n);
  /// {{0, 1}, {-2, -3}}. @throws Error(kInternal) for rows of unequal lengths.
  Matrix(std::initializer_list<std::initializer_list<double>> entries);

  double& operator()(int64_t i, int64_t j) { return values[static_cast<size_t>(i * cols + j)]; }
  double operator()(int64_t i, int64_t j) const {
    return values[static_cast<size_t>(i * cols + j)];
  }
  bool operator==(const Matrix&) const = default;

  static Matrix Identity(int64_t n);
};

}  // namespace ssm
