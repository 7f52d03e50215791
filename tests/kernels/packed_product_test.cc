#include "ssm/kernels/packed_product.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/numbers.h"

namespace ssm::kernels {
namespace {

using test::Numbers;

struct Size {
  int64_t rows, depth, columns;
};
constexpr Size kSizes[] = {{1, 1, 1},   {1, 5, 7},   {2, 9, 33},   {3, 4, 16},
                           {7, 17, 31}, {8, 16, 32}, {13, 33, 65}, {33, 3, 130}};

template <class T>
std::vector<T> Multiply(Size s, const T* x, int64_t stride, const std::vector<T>& packed) {
  std::vector<T> y(static_cast<size_t>(s.rows * PackedColumns<T>(s.columns)), T{-1});
  MultiplyPacked(s.rows, s.depth, s.columns, x, stride, packed.data(), y.data());
  return y;
}

TEST_CASE_TEMPLATE("packed products equal their definition", T, float, double) {
  for (const Size s : kSizes) {
    CAPTURE(s.rows);
    CAPTURE(s.depth);
    CAPTURE(s.columns);
    const int64_t stride = s.depth + 3, padded = PackedColumns<T>(s.columns);
    CHECK(padded >= s.columns);
    const auto x = Numbers<T>(s.rows * stride, 1), w = Numbers<T>(s.columns * s.depth, 2);
    const auto bias = Numbers<T>(s.columns, 3);
    std::vector<T> packed(static_cast<size_t>(PackedSize<T>(s.depth, s.columns)));
    PackTransposed(s.depth, s.columns, w.data(), bias.data(), packed.data());
    const std::vector<T> y = Multiply(s, x.data(), stride, packed);

    std::vector<T> transposed(w.size()), plain(packed.size());
    for (int64_t j = 0; j < s.columns; ++j) {
      for (int64_t k = 0; k < s.depth; ++k) {
        transposed[static_cast<size_t>(k * s.columns + j)] =
            w[static_cast<size_t>(j * s.depth + k)];
      }
    }
    Pack(s.depth, s.columns, transposed.data(), plain.data());
    const std::vector<T> without_bias = Multiply(s, x.data(), stride, plain);

    const double tolerance = 4 * static_cast<double>(s.depth) * std::numeric_limits<T>::epsilon();
    for (int64_t i = 0; i < s.rows; ++i) {
      for (int64_t j = 0; j < padded; ++j) {
        long double sum = 0;
        for (int64_t k = 0; j < s.columns && k < s.depth; ++k) {
          sum += static_cast<long double>(x[static_cast<size_t>(i * stride + k)]) *
                 w[static_cast<size_t>(j * s.depth + k)];
        }
        const double expected = static_cast<double>(sum);
        const double b = j < s.columns ? static_cast<double>(bias[static_cast<size_t>(j)]) : 0;
        const auto at = static_cast<size_t>(i * padded + j);
        CHECK(std::abs(static_cast<double>(y[at]) - expected - b) <= tolerance * 3);
        CHECK(std::abs(static_cast<double>(without_bias[at]) - expected) <= tolerance * 3);
      }
    }
  }
}

TEST_CASE_TEMPLATE("a row's bits do not depend on the rows beside it", T, float, double) {
  const Size s{23, 37, 41};
  const auto x = Numbers<T>(s.rows * s.depth, 4), w = Numbers<T>(s.columns * s.depth, 5);
  std::vector<T> packed(static_cast<size_t>(PackedSize<T>(s.depth, s.columns)));
  PackTransposed<T>(s.depth, s.columns, w.data(), nullptr, packed.data());
  const std::vector<T> all = Multiply(s, x.data(), s.depth, packed);
  const auto padded = static_cast<size_t>(PackedColumns<T>(s.columns));
  for (int64_t i = 0; i < s.rows; ++i) {
    const std::vector<T> alone =
        Multiply({1, s.depth, s.columns}, x.data() + i * s.depth, s.depth, packed);
    const auto row = static_cast<size_t>(i) * padded;
    CHECK(std::equal(alone.begin(), alone.end(), all.begin() + static_cast<int64_t>(row)));
  }
}

TEST_CASE("an empty depth leaves the bias") {
  const double bias[] = {1, 2, 3};
  std::vector<double> packed(static_cast<size_t>(PackedSize<double>(0, 3)));
  PackTransposed<double>(0, 3, nullptr, bias, packed.data());
  const std::vector<double> y = Multiply<double>({2, 0, 3}, nullptr, 0, packed);
  const auto padded = static_cast<size_t>(PackedColumns<double>(3));
  CHECK(y[1] == 2);
  CHECK(y[padded + 2] == 3);
}

}  // namespace
}  // namespace ssm::kernels
