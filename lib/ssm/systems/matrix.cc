#include "ssm/systems/matrix.h"

#include "ssm/base/errors.h"

namespace ssm {

Matrix::Matrix(int64_t m, int64_t n) : rows(m), cols(n), values(static_cast<size_t>(m * n), 0.0) {}

Matrix::Matrix(std::initializer_list<std::initializer_list<double>> entries)
    : rows(static_cast<int64_t>(entries.size())),
      cols(rows > 0 ? static_cast<int64_t>(entries.begin()->size()) : 0) {
  for (const std::initializer_list<double>& row : entries) {
    SSM_CHECK(static_cast<int64_t>(row.size()) == cols, "rows of a matrix have one length");
    values.insert(values.end(), row);
  }
}

Matrix Matrix::Identity(int64_t n) {
  Matrix identity(n, n);
  for (int64_t i = 0; i < n; ++i) identity(i, i) = 1;
  return identity;
}

}  // namespace ssm
