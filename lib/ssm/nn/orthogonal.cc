#include <algorithm>
#include <cmath>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/kernels/rows.h"
#include "ssm/nn/init.h"

namespace ssm {
namespace {

/// Gram and Schmidt's vectors [count, n], of length `gain`. Each is cleared of those before it
/// twice, which leaves nothing but rounding (Giraud et al. 2005). Of normal numbers they are
/// uniform.
void Orthogonalize(int64_t count, int64_t n, double gain, double* vectors) {
  for (int64_t i = 0; i < count; ++i) {
    double* v = vectors + i * n;
    for (int64_t j = 0; j < 2 * i; ++j) {
      const double* other = vectors + j % i * n;
      kernels::Axpy(n, -kernels::Dot(n, other, v) / (gain * gain), other, v);
    }
    const double length = std::sqrt(kernels::Dot(n, v, v));
    for (int64_t k = 0; k < n; ++k) v[k] *= gain / length;
  }
}

}  // namespace

Init Orthogonal(int64_t columns, double gain) {
  SSM_CHECK(columns >= 1 && gain > 0, "an orthogonal weight has at least 1 column, a gain above 0");
  return [columns, gain](std::span<double> values, Random& random) {
    for (double& value : values) value = random.Normal();
    const int64_t rows = static_cast<int64_t>(values.size()) / columns;
    if (rows <= columns) return Orthogonalize(rows, columns, gain, values.data());
    std::vector<double> transposed(values.size());
    const auto each = [&](auto body) {
      for (int64_t i = 0; i < rows * columns; ++i) {
        body(values[static_cast<size_t>(i)],
             transposed[static_cast<size_t>(i % columns * rows + i / columns)]);
      }
    };
    each([](double value, double& copy) { copy = value; });
    Orthogonalize(columns, rows, gain, transposed.data());
    each([](double& value, double copy) { value = copy; });
  };
}

}  // namespace ssm
