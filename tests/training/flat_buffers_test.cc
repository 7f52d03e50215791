#include "ssm/training/flat_buffers.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "support/numbers.h"

namespace ssm {
namespace {

TEST_CASE_TEMPLATE("finite and not", T, float, double) {
  std::vector<T> values = test::Numbers<T>(1001, 4);
  values[3] = std::numeric_limits<T>::max();
  values[4] = std::numeric_limits<T>::denorm_min();
  CHECK(AllFinite<T>(values));
  CHECK(AllFinite<T>(std::span<const T>()));
  for (T bad : {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                std::numeric_limits<T>::quiet_NaN()}) {
    values[1000] = bad;
    CHECK_FALSE(AllFinite<T>(values));
  }
}

TEST_CASE("the first bad tensor has a name") {
  ParameterStore store;
  ParameterBuilder builder(store, 1);
  const Init zeros = [](std::span<double>, Random&) {};
  builder.Add("a", Shape{3}, zeros);
  const Param b = builder.Scope("layers.0").Add("b", Shape{2}, zeros);
  std::vector<double> flat(static_cast<size_t>(store.flat_size()), 0.0);
  CHECK(FirstNonFinite<double>(store, flat).empty());
  flat[static_cast<size_t>(b.offset) + 1] = NAN;
  CHECK(FirstNonFinite<double>(store, flat) == "layers.0.b");
}

TEST_CASE_TEMPLATE("sums in order, scaled, with its norm, whatever the threads", T, float, double) {
  constexpr int64_t kSize = 40001;
  std::vector<std::vector<T>> parts;
  for (uint64_t s = 0; s < 3; ++s) parts.push_back(test::Numbers<T>(kSize, s));
  const std::vector<const T*> buffers = {parts[0].data(), parts[1].data(), parts[2].data()};
  Reduction<T> reduction(kSize);
  double first_norm = 0;
  for (int threads : {1, 2, 3}) {
    Workers workers(threads);
    std::vector<T> sum(kSize);
    const double norm = reduction.Sum(buffers, T{0.25}, sum, workers);
    double squares = 0;
    for (size_t i = 0; i < sum.size(); ++i) {
      REQUIRE(sum[i] == (parts[0][i] + parts[1][i] + parts[2][i]) * T{0.25});
      squares += static_cast<double>(sum[i]) * static_cast<double>(sum[i]);
    }
    CHECK(norm == doctest::Approx(std::sqrt(squares)).epsilon(1e-12));
    if (threads == 1) first_norm = norm;
    CHECK(norm == first_norm);
    CHECK(reduction.Finite(sum, workers));
    sum[kSize - 1] = static_cast<T>(INFINITY);
    CHECK_FALSE(reduction.Finite(sum, workers));
  }
}

}  // namespace
}  // namespace ssm
