#include "ssm/kernels/rows.h"

#include <doctest/doctest.h>

#include <limits>

#include "support/numbers.h"

namespace ssm::kernels {
namespace {

TEST_CASE_TEMPLATE("gemv equals its definition for any number of outputs", T, float, double) {
  for (int64_t out : {1, 3, 4, 7, 32}) {
    for (int64_t in : {1, 5, 16, 33}) {
      const auto w = test::Numbers<T>(out * in, 1), x = test::Numbers<T>(in, 2);
      std::vector<T> y(static_cast<size_t>(out), T{10}), sum(static_cast<size_t>(out), T{10});
      Gemv(out, in, w.data(), x.data(), y.data(), false);
      Gemv(out, in, w.data(), x.data(), sum.data(), true);
      for (size_t j = 0; j < y.size(); ++j) {
        double want = 0;
        for (size_t i = 0; i < x.size(); ++i) {
          want += static_cast<double>(w[j * x.size() + i]) * static_cast<double>(x[i]);
        }
        const double tolerance = 40 * std::numeric_limits<T>::epsilon();
        CHECK(static_cast<double>(y[j]) == doctest::Approx(want).epsilon(tolerance));
        CHECK(static_cast<double>(sum[j]) == doctest::Approx(10 + want).epsilon(tolerance));
      }
    }
  }
}

TEST_CASE("dot, sum and axpy on known rows") {
  const double a[5] = {1, 2, 3, 4, 5}, b[5] = {5, 4, 3, 2, 1};
  double y[5] = {1, 1, 1, 1, 1};
  CHECK(Dot(5, a, b) == 35);
  CHECK(Sum(5, a) == 15);
  CHECK(Sum<double>(0, nullptr) == 0);
  Axpy(5, 2.0, a, y);
  CHECK(y[4] == 11);
}

}  // namespace
}  // namespace ssm::kernels
