// The kernel by two tables of powers, against long double powers.
#include "ssm/kernels/s4d_kernel.h"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <vector>

#include "ssm/kernels/discretize.h"
#include "support/aligned.h"
#include "support/numbers.h"

namespace ssm::kernels {
namespace {

/// S4D-Lin with dt from 1e-3 to 1e-1 over the channels.
template <class T>
struct LinSystem {
  LinSystem(int64_t channels, int64_t modes) : a(2 * channels * modes), b(a.size()) {
    c = test::Numbers<T>(static_cast<int64_t>(a.size()), 3);
    for (int64_t i = 0; i < channels * modes; ++i) {
      const double slot = channels == 1 ? 0 : double(i / modes) / double(channels - 1);
      const double dt = 1e-3 * std::pow(100.0, slot);
      const DiscreteMode m =
          DiscretizeMode(DiscretizationRule::kZoh, dt, -0.5, 3.14159265358979 * double(i % modes));
      a[size_t(2 * i)] = static_cast<T>(m.a_re);
      a[size_t(2 * i + 1)] = static_cast<T>(m.a_im);
      b[size_t(2 * i)] = static_cast<T>(m.b_re);
      b[size_t(2 * i + 1)] = static_cast<T>(m.b_im);
    }
    view = {channels, modes, true, a.data(), b.data(), c.data(), nullptr};
  }
  std::vector<T> a, b, c;
  DiagonalSystem<T> view;
};

template <class T>
void CheckKernel(int64_t length, double tolerance) {
  constexpr int64_t kChannels = 3, kModes = 32;
  CAPTURE(length);
  const LinSystem<T> system(kChannels, kModes);
  test::Aligned<T> scratch(S4dKernelScratch(system.view, length));
  std::vector<T> kernel(static_cast<size_t>(kChannels * length));
  S4dKernel(system.view, length, kernel.data(), scratch.data());
  using Long = std::complex<long double>;
  for (int64_t d = 0; d < kChannels; ++d) {
    long double worst = 0, size = 0;
    std::vector<Long> power(kModes), factor(kModes);
    for (size_t n = 0; n < kModes; ++n) {
      const size_t i = 2 * (size_t(d) * kModes + n);
      power[n] = Long(system.c[i], system.c[i + 1]) * Long(system.b[i], system.b[i + 1]);
      factor[n] = Long(1.0L + static_cast<long double>(system.a[i]), system.a[i + 1]);
    }
    for (int64_t k = 0; k < length; ++k) {
      long double expected = 0;
      for (size_t n = 0; n < kModes; ++n) {
        expected += 2 * power[n].real();
        power[n] *= factor[n];
      }
      const long double ours = kernel[static_cast<size_t>(d * length + k)];
      worst = std::max(worst, std::abs(ours - expected));
      size = std::max(size, std::abs(expected));
    }
    CHECK(static_cast<double>(worst / size) < tolerance);
  }
}

TEST_CASE("powers do not drift, up to 16384 taps") {
  for (const int64_t length : {1, 5, 64, 65, 1000, 16384}) {
    CheckKernel<double>(length, 1e-13);
    CheckKernel<float>(length, 1e-6);
  }
}

TEST_CASE("unwanted gradients may be null") {
  const LinSystem<double> system(2, 3);
  test::Aligned<double> scratch(S4dKernelScratch(system.view, 70));
  const std::vector<double> g_kernel = test::Numbers<double>(140, 5);
  std::vector<double> only_c(system.c.size()), all_c(system.c.size());
  std::vector<double> a(system.a.size()), b(system.a.size());
  S4dKernelBackward(system.view, 70, g_kernel.data(), {.c = only_c.data()}, scratch.data());
  S4dKernelBackward(system.view, 70, g_kernel.data(),
                    {.a_minus_1 = a.data(), .b_bar = b.data(), .c = all_c.data()}, scratch.data());
  CHECK(only_c == all_c);
}

}  // namespace
}  // namespace ssm::kernels
