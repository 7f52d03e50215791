// The two ways to convolve: transforms for what is long, sums for what is short.
#include "ssm/kernels/fft_conv.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/aligned.h"
#include "support/numbers.h"

namespace ssm::kernels {
namespace {

template <class T>
double Error(const std::vector<T>& a, const std::vector<T>& b) {
  double worst = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    size = std::max(size, std::abs(static_cast<double>(b[i])));
  }
  return worst / size;
}

template <class T>
void CheckAgreement(const ConvShape<T>& shape, double tolerance) {
  CAPTURE(shape.rows);
  CAPTURE(shape.steps);
  CAPTURE(shape.channels);
  const int64_t n = shape.rows * shape.steps * shape.channels;
  const std::vector<T> x = test::Numbers<T>(n, 1), gy = test::Numbers<T>(n, 2);
  const std::vector<T> kernel = test::Numbers<T>(shape.channels * shape.taps, 3);
  test::Aligned<T> direct_scratch(DirectConvScratch(shape)), fft_scratch(FftConvScratch(shape));
  std::vector<T> direct(x.size()), fft(x.size());
  DirectConv(shape, x.data(), kernel.data(), direct.data(), direct_scratch.data());
  FftConv(shape, x.data(), kernel.data(), fft.data(), fft_scratch.data());
  CHECK(Error(fft, direct) < tolerance);

  std::vector<T> direct_gx(x.size(), 1), fft_gx(x.size(), 1);
  std::vector<T> direct_gk(kernel.size(), 1), fft_gk(kernel.size(), 1);
  DirectConvBackward(shape, x.data(), kernel.data(), gy.data(), direct_gx.data(), direct_gk.data(),
                     direct_scratch.data());
  FftConvBackward(shape, x.data(), kernel.data(), gy.data(), fft_gx.data(), fft_gk.data(),
                  fft_scratch.data());
  CHECK(Error(fft_gx, direct_gx) < tolerance);
  CHECK(Error(fft_gk, direct_gk) < tolerance);
}

TEST_CASE("transforms and sums agree") {
  for (const int64_t steps : {1, 2, 3, 31, 64, 65, 100, 257}) {
    for (const int64_t channels : {1, 16, 19}) {
      for (const int64_t rows : {1, 2, 3}) {
        CheckAgreement<double>({rows, steps, channels, steps + 2}, 1e-14);
        CheckAgreement<float>({rows, steps, channels, steps}, 2e-6);
      }
    }
  }
}

TEST_CASE("nothing wraps around") {
  // An impulse at the end must not show up at the beginning.
  const ConvShape<double> shape{1, 100, 1, 100};
  std::vector<double> x(100), y(100);
  x[99] = 1;
  const std::vector<double> kernel(100, 1.0);
  test::Aligned<double> scratch(FftConvScratch(shape));
  FftConv(shape, x.data(), kernel.data(), y.data(), scratch.data());
  for (size_t t = 0; t < 99; ++t) CHECK(std::abs(y[t]) < 1e-15);
  CHECK(y[99] == doctest::Approx(1));
}

TEST_CASE("no rows are fine") {
  const ConvShape<float> shape{0, 80, 3, 80};
  const std::vector<float> kernel(240, 1.0f);
  std::vector<float> g_kernel(240);
  test::Aligned<float> scratch(FftConvScratch(shape));
  FftConv<float>(shape, nullptr, kernel.data(), nullptr, scratch.data());
  FftConvBackward<float>(shape, nullptr, kernel.data(), nullptr, nullptr, g_kernel.data(),
                         scratch.data());
  for (const float g : g_kernel) CHECK(g == 0);
}

}  // namespace
}  // namespace ssm::kernels
