#include "ssm/kernels/fft.h"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <thread>
#include <vector>

#include "support/aligned.h"
#include "support/numbers.h"

namespace ssm::kernels {
namespace {

template <class T>
void CheckLength(int64_t n, double tolerance) {
  CAPTURE(n);
  test::Aligned<T> x(2 * n), spectrum(2 * n), back(2 * n);
  const std::vector<T> numbers = test::Numbers<T>(2 * n, 4);
  std::copy(numbers.begin(), numbers.end(), x.data());
  const Fft<T>& fft = Fft<T>::OfLength(n);
  fft.Forward(x.data(), spectrum.data());
  double error = 0, size = 0;
  for (int64_t k = 0; k < n; ++k) {
    std::complex<double> sum = 0;
    for (int64_t t = 0; t < n; ++t) {
      const double angle =
          -2 * std::numbers::pi * static_cast<double>(k * t % n) / static_cast<double>(n);
      sum += std::complex<double>(x[size_t(2 * t)], x[size_t(2 * t + 1)]) *
             std::complex<double>(std::cos(angle), std::sin(angle));
    }
    const std::complex<double> ours(spectrum[size_t(2 * k)], spectrum[size_t(2 * k + 1)]);
    error = std::max(error, std::abs(ours - sum));
    size = std::max(size, std::abs(sum));
  }
  CHECK(error < tolerance * size);
  fft.Inverse(spectrum.data(), back.data());
  for (size_t i = 0; i < back.size(); ++i) {
    CHECK(back[i] / static_cast<T>(n) == doctest::Approx(x[i]).epsilon(1e3 * tolerance));
    CHECK(x[i] == numbers[i]);
  }
}

TEST_CASE("transforms equal their definition, and the inverse undoes them") {
  for (const int64_t n : {1, 2, 3, 5, 8, 12, 15, 17, 45, 64, 100}) {
    CheckLength<double>(n, 1e-15);
    CheckLength<float>(n, 3e-7);
  }
}

TEST_CASE("good lengths have no prime factor above 5 and are the least") {
  CHECK(GoodFftLength(1) == 8);
  CHECK(GoodFftLength(9) == 9);
  CHECK(GoodFftLength(11) == 12);
  CHECK(GoodFftLength(129) == 135);
  CHECK(GoodFftLength(2047) == 2048);
  CHECK(GoodFftLength(2049) == 2160);
  for (int64_t least = 1; least < 3000; ++least) {
    int64_t n = GoodFftLength(least);
    CHECK(n >= least);
    for (const int64_t prime : {2, 3, 5}) {
      while (n % prime == 0) n /= prime;
    }
    CHECK(n == 1);
  }
}

TEST_CASE("threads share plans and get the same bits") {
  constexpr int64_t kN = 360;
  const std::vector<float> numbers = test::Numbers<float>(2 * kN, 6);
  std::vector<std::vector<float>> results(4);
  std::vector<std::thread> threads;
  for (std::vector<float>& result : results) {
    threads.emplace_back([&result, &numbers] {
      test::Aligned<float> x(2 * (kN + 20)), y(2 * (kN + 20));
      std::copy(numbers.begin(), numbers.end(), x.data());
      for (int i = 0; i < 20; ++i) Fft<float>::OfLength(kN + i).Forward(x.data(), y.data());
      Fft<float>::OfLength(kN).Forward(x.data(), y.data());
      result.assign(y.data(), y.data() + 2 * kN);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<float>& result : results) CHECK(result == results[0]);
}

}  // namespace
}  // namespace ssm::kernels
