#include "ssm/kernels/gemm.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "support/allocation_counter.h"
#include "support/numbers.h"

namespace ssm::kernels {
namespace {

using test::Numbers;

struct Size {
  int64_t m, n, k;
};
constexpr Size kSizes[] = {{1, 1, 1},   {1, 7, 5},    {2, 3, 9},    {7, 1, 4},    {8, 33, 17},
                           {9, 33, 17}, {16, 16, 16}, {33, 65, 31}, {127, 3, 66}, {200, 130, 70}};

/// C += op(A) op(B) by definition, in long double.
template <class T>
std::vector<T> Reference(Size s, const std::vector<T>& a, bool ta, const std::vector<T>& b, bool tb,
                         const std::vector<T>& c) {
  std::vector<T> result(c);
  for (int64_t i = 0; i < s.m; ++i) {
    for (int64_t j = 0; j < s.n; ++j) {
      long double sum = c[static_cast<size_t>(i * s.n + j)];
      for (int64_t p = 0; p < s.k; ++p) {
        const T left = a[static_cast<size_t>(ta ? p * s.m + i : i * s.k + p)];
        const T right = b[static_cast<size_t>(tb ? j * s.k + p : p * s.n + j)];
        sum += static_cast<long double>(left) * right;
      }
      result[static_cast<size_t>(i * s.n + j)] = static_cast<T>(sum);
    }
  }
  return result;
}

template <class T>
void CheckClose(const std::vector<T>& got, const std::vector<T>& want, int64_t k) {
  const double tolerance =
      4 * std::sqrt(static_cast<double>(k) + 1) * std::numeric_limits<T>::epsilon();
  for (size_t i = 0; i < got.size(); ++i) {
    CHECK(std::abs(static_cast<double>(got[i] - want[i])) <=
          tolerance * (1 + std::sqrt(static_cast<double>(k))));
  }
}

template <class T>
using Product = void (*)(int64_t, int64_t, int64_t, const T*, const T*, T*, Write);

template <class T>
void CheckProduct(Product<T> product, bool ta, bool tb) {
  for (Size s : kSizes) {
    CAPTURE(s.m);
    CAPTURE(s.n);
    CAPTURE(s.k);
    const auto a = Numbers<T>(s.m * s.k, 1), b = Numbers<T>(s.k * s.n, 2);
    const auto start = Numbers<T>(s.m * s.n, 3);
    auto c = start;
    product(s.m, s.n, s.k, a.data(), b.data(), c.data(), Write::kAdd);
    CheckClose(c, Reference(s, a, ta, b, tb, start), s.k);
    product(s.m, s.n, s.k, a.data(), b.data(), c.data(), Write::kAssign);
    CheckClose(c, Reference(s, a, ta, b, tb, std::vector<T>(c.size())), s.k);
  }
}

TEST_CASE_TEMPLATE("products equal their definition at odd sizes", T, float, double) {
  CheckProduct<T>(Gemm<T>, false, false);
  CheckProduct<T>(GemmTransposedB<T>, false, true);
  CheckProduct<T>(GemmTransposedBByRow<T>, false, true);
  CheckProduct<T>(GemmTransposedA<T>, true, false);
}

TEST_CASE_TEMPLATE("by row, a row has the bits it has alone, and those of few rows", T, float,
                   double) {
  for (const Size s : {Size{40, 15, 5}, Size{33, 65, 31}, Size{9, 192, 64}, Size{100, 131, 70}}) {
    CAPTURE(s.k);
    const auto a = Numbers<T>(s.m * s.k, 1), b = Numbers<T>(s.k * s.n, 2);
    std::vector<T> all = Numbers<T>(s.m * s.n, 3);
    const std::vector<T> start = all;
    GemmTransposedBByRow(s.m, s.n, s.k, a.data(), b.data(), all.data(), Write::kAdd);
    for (int64_t i = 0; i < s.m; ++i) {
      // Elsewhere in memory too.
      for (const int64_t shift : {0, 1, 3}) {
        std::vector<T> x(static_cast<size_t>(shift + s.k)), y(static_cast<size_t>(shift + s.n));
        std::copy_n(a.data() + i * s.k, s.k, x.data() + shift);
        std::copy_n(start.data() + i * s.n, s.n, y.data() + shift);
        GemmTransposedB(1, s.n, s.k, x.data() + shift, b.data(), y.data() + shift, Write::kAdd);
        CHECK(std::equal(y.begin() + shift, y.end(), all.begin() + i * s.n));
      }
    }
  }
}

TEST_CASE("an empty inner axis assigns zeros and adds nothing; empty outer axes are legal") {
  std::vector<double> c{1, 2, 3, 4, 5, 6};
  Gemm<double>(2, 3, 0, nullptr, nullptr, c.data(), Write::kAdd);
  CHECK(c == std::vector<double>{1, 2, 3, 4, 5, 6});
  GemmTransposedB<double>(2, 3, 0, nullptr, nullptr, c.data(), Write::kAssign);
  CHECK(c == std::vector<double>(6, 0.0));
  GemmTransposedA<double>(0, 3, 4, nullptr, c.data(), nullptr, Write::kAssign);
  Gemm<double>(2, 0, 4, c.data(), nullptr, nullptr, Write::kAdd);
}

TEST_CASE_TEMPLATE("no product allocates, of any size", T, float, double) {
  for (Size s :
       {Size{1, 64, 64}, Size{8, 256, 256}, Size{9, 256, 256}, Size{4096, 64, 128},
        Size{64, 128, 4096}, Size{1000, 700, 600}, Size{1, 4096, 4096}, Size{4096, 1, 64}}) {
    const auto a = Numbers<T>(s.m * s.k, 1), b = Numbers<T>(s.k * s.n, 2);
    auto c = Numbers<T>(s.m * s.n, 3);
    const test::AllocationScope scope;
    Gemm(s.m, s.n, s.k, a.data(), b.data(), c.data(), Write::kAdd);
    GemmTransposedB(s.m, s.n, s.k, a.data(), b.data(), c.data(), Write::kAssign);
    GemmTransposedA(s.m, s.n, s.k, a.data(), b.data(), c.data(), Write::kAdd);
    CHECK(scope.count() == 0);
  }
}

TEST_CASE("two threads at once get the bits of one") {
  const Size s{513, 130, 257};
  const auto a = Numbers<float>(s.m * s.k, 1), b = Numbers<float>(s.k * s.n, 2);
  std::vector<std::vector<float>> c(3, std::vector<float>(static_cast<size_t>(s.m * s.n)));
  const auto run = [&](size_t i) {
    Gemm(s.m, s.n, s.k, a.data(), b.data(), c[i].data(), Write::kAssign);
  };
  run(0);
  std::thread first(run, 1), second(run, 2);
  first.join();
  second.join();
  CHECK(c[0] == c[1]);
  CHECK(c[0] == c[2]);
}

}  // namespace
}  // namespace ssm::kernels
