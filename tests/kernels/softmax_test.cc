#include "ssm/kernels/softmax.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "support/numbers.h"

namespace ssm::kernels {
namespace {

TEST_CASE_TEMPLATE("softmax and log-sum-exp equal their definition", T, float, double) {
  for (int64_t n : {1, 2, 7, 33}) {
    const auto x = test::Numbers<T>(3 * n, 4);
    std::vector<T> p(x.size()), lse(3);
    Softmax(3, n, x.data(), p.data());
    LogSumExp(3, n, x.data(), lse.data());
    for (int64_t i = 0; i < 3; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < n; ++j)
        sum += std::exp(static_cast<double>(x[static_cast<size_t>(i * n + j)]));
      const double eps = 8 * std::numeric_limits<T>::epsilon();
      CHECK(static_cast<double>(lse[static_cast<size_t>(i)]) ==
            doctest::Approx(std::log(sum)).epsilon(eps));
      for (int64_t j = 0; j < n; ++j) {
        const size_t at = static_cast<size_t>(i * n + j);
        CHECK(static_cast<double>(p[at]) ==
              doctest::Approx(std::exp(static_cast<double>(x[at])) / sum).epsilon(eps));
      }
    }
  }
}

TEST_CASE_TEMPLATE("large logits stay finite", T, float, double) {
  const T x[3] = {static_cast<T>(1e30), static_cast<T>(-1e30), static_cast<T>(1e30)};
  T p[3], lse;
  Softmax(1, 3, x, p);
  LogSumExp(1, 3, x, &lse);
  CHECK(p[0] == T{0.5});
  CHECK(p[1] == 0);
  CHECK(lse == x[0]);
}

TEST_CASE("the backward is the Jacobian's product") {
  const double x[3] = {0.5, -1, 2}, gy[3] = {1, 2, -3};
  double p[3], gx[3] = {1, 1, 1};
  Softmax(1, 3, x, p);
  SoftmaxBackward(1, 3, p, gy, gx);
  for (int i = 0; i < 3; ++i) {
    double want = 1;
    for (int j = 0; j < 3; ++j) want += gy[j] * p[j] * ((i == j ? 1 : 0) - p[i]);
    CHECK(gx[i] == doctest::Approx(want).epsilon(1e-14));
  }
}

}  // namespace
}  // namespace ssm::kernels
