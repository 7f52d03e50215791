#include "ssm/kernels/dense_inverse.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/numbers.h"

namespace ssm::kernels {
namespace {

std::vector<double> InverseOf(int64_t n, std::vector<double> a) {
  std::vector<double> inverse(a.size());
  Invert(n, a.data(), inverse.data());
  return inverse;
}

TEST_CASE("a matrix times its inverse is the identity") {
  for (const int64_t n : {1, 2, 5, 30}) {
    CAPTURE(n);
    const std::vector<double> a = test::Numbers<double>(n * n, 3);
    const std::vector<double> inverse = InverseOf(n, a);
    double largest = 1;
    for (const double value : inverse) largest = std::max(largest, std::fabs(value));
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < n; ++k) sum += a[size_t(i * n + k)] * inverse[size_t(k * n + j)];
        CHECK(std::fabs(sum - (i == j ? 1 : 0)) <= 1e-13 * largest * static_cast<double>(n));
      }
    }
  }
}

TEST_CASE("a zero on the diagonal is no obstacle") {
  CHECK(InverseOf(2, {0, 2, 4, 0}) == std::vector<double>{0, 0.25, 0.5, 0});
  CHECK(InverseOf(3, {0, 1, 0, 0, 0, 1, 1, 0, 0}) ==
        std::vector<double>{0, 0, 1, 1, 0, 0, 0, 1, 0});
}

TEST_CASE("what is singular has no finite inverse") {
  const std::vector<double> inverse = InverseOf(2, {1, 2, 2, 4});
  CHECK(std::none_of(inverse.begin(), inverse.end(), [](double x) { return std::isfinite(x); }));
}

TEST_CASE("no matrix at all has an inverse of no entries") { CHECK(InverseOf(0, {}).empty()); }

}  // namespace
}  // namespace ssm::kernels
