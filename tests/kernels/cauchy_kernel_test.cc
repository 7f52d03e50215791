// The kernel by its generating function, against powers of the dense system.
#include "ssm/kernels/cauchy_kernel.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "kernels/dplr_dense.h"
#include "support/aligned.h"

namespace ssm::kernels {
namespace {

template <class T>
std::vector<T> Kernel(const test_dplr::Parameters<T>& parameters, int64_t length) {
  const test_dplr::Steps<T> steps(parameters.View());
  const DplrSystem<T> system{parameters.channels, parameters.modes, steps.a.data(),
                             steps.v.data(),      steps.f.data(),   steps.b.data(),
                             parameters.c.data(), nullptr};
  test::Aligned<T> scratch(CauchyKernelScratch(system, length));
  std::vector<T> kernel(static_cast<size_t>(parameters.channels * length));
  CauchyKernel(system, length, kernel.data(), scratch.data());
  return kernel;
}

template <class T>
void CheckKernel(const test_dplr::Parameters<T>& parameters, int64_t length, double tolerance) {
  CAPTURE(length);
  const std::vector<T> kernel = Kernel(parameters, length);
  for (int64_t d = 0; d < parameters.channels; ++d) {
    CAPTURE(d);
    const std::vector<double> expected = test_dplr::Dense(parameters, d).Kernel(length);
    double worst = 0, size = 0;
    for (size_t k = 0; k < expected.size(); ++k) {
      const double found = static_cast<double>(kernel[size_t(d * length) + k]);
      worst = std::max(worst, std::abs(found - expected[k]));
      size = std::max(size, std::abs(expected[k]));
    }
    CAPTURE(worst / size);
    CHECK(worst <= tolerance * size);
  }
}

TEST_CASE("short and odd kernels are powers of the dense matrix") {
  for (const int64_t length : {1, 2, 7, 64, 65}) {
    CheckKernel(test_dplr::Parameters<double>(5, 4), length, 1e-10);
    CheckKernel(test_dplr::Parameters<double>(1, 1), length, 1e-10);
    CheckKernel(test_dplr::Parameters<float>(5, 4), length, 1e-5);
  }
}

TEST_CASE("long kernels are powers of the dense matrix") {
  for (const int64_t length : {16384, 16383}) {
    CheckKernel(test_dplr::Parameters<double>(2, 32), length, 1e-9);
  }
}

TEST_CASE("a prefix of a kernel is the kernel of that length") {
  const test_dplr::Parameters<double> parameters(1, 4);
  const std::vector<double> longer = Kernel(parameters, 1000), shorter = Kernel(parameters, 77);
  double size = 0;
  for (const double tap : longer) size = std::max(size, std::abs(tap));
  for (size_t k = 0; k < shorter.size(); ++k) {
    CHECK(std::abs(shorter[k] - longer[k]) <= 1e-12 * size);
  }
}

}  // namespace
}  // namespace ssm::kernels
