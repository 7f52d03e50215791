// The steps of a diagonal minus rank-one system, against dense ones.
#include "ssm/kernels/discretize_dplr.h"

#include <doctest/doctest.h>

#include "kernels/dplr_dense.h"

namespace ssm::kernels {
namespace {

using test_dplr::BothOf;
using test_dplr::Complex;

template <class T>
void CheckSteps(int64_t channels, int64_t modes, double dt_scale, double tolerance) {
  CAPTURE(modes);
  CAPTURE(dt_scale);
  const test_dplr::Parameters<T> parameters(channels, modes);
  const test_dplr::Steps<T> steps(parameters.View(dt_scale));
  for (int64_t k = 0; k < channels; ++k) {
    const test_dplr::Dense dense(parameters, k, dt_scale);
    Eigen::MatrixXcd a = -BothOf(steps.v, k, modes) * BothOf(steps.f, k, modes).transpose();
    a.diagonal() += BothOf(steps.a, k, modes);
    const auto one = Eigen::MatrixXcd::Identity(2 * modes, 2 * modes);
    CHECK((a + one - dense.a).cwiseAbs().maxCoeff() <= tolerance);
    const Eigen::VectorXcd b = BothOf(steps.b, k, modes);
    CHECK((b - dense.b).cwiseAbs().maxCoeff() <= tolerance * dense.b.cwiseAbs().maxCoeff());
  }
}

TEST_CASE("a - v phi and b are the dense bilinear system's") {
  for (const double dt_scale : {1.0, 2.0, 1e-3, 1e3}) {
    CheckSteps<double>(5, 4, dt_scale, 2e-13);
    CheckSteps<double>(2, 1, dt_scale, 2e-13);
    CheckSteps<double>(2, 32, dt_scale, 2e-13);
    CheckSteps<float>(5, 4, dt_scale, 1e-6);
  }
}

TEST_CASE("a slow mode keeps its digits in single precision") {
  // dt = 1e-9: a itself would round to 1.
  const float log_dt = std::log(1e-9f), log_a_real = 0, a_imag = 2, p[] = {0, 0}, b[] = {1, 0};
  const DplrParameterView<float> view{1, 1, &log_dt, &log_a_real, &a_imag, p, b, 1};
  const test_dplr::Steps<float> steps(view);
  const double dt = std::exp(double(log_dt));
  CHECK(std::abs(double(steps.a[0]) / -dt - 1) < 1e-6);
  CHECK(std::abs(double(steps.a[1]) / (2 * dt) - 1) < 1e-6);
}

TEST_CASE("without a rank-one term it is the diagonal rule") {
  const double log_dt = -2, log_a_real = 0.3, a_imag = 4, p[] = {0, 0}, b[] = {1, 0};
  const DplrParameterView<double> view{1, 1, &log_dt, &log_a_real, &a_imag, p, b, 1};
  const test_dplr::Steps<double> steps(view);
  const Complex z = std::exp(-2) * Complex(-std::exp(0.3), 4);
  const Complex a = (1.0 + z / 2.0) / (1.0 - z / 2.0) - 1.0, input = std::exp(-2) / (1.0 - z / 2.0);
  CHECK(std::abs(Complex(steps.a[0], steps.a[1]) - a) < 1e-15);
  CHECK(std::abs(Complex(steps.b[0], steps.b[1]) - input) < 1e-15);
  CHECK(steps.v == std::vector<double>{0, 0});
  CHECK(steps.f == std::vector<double>{0, 0});
}

}  // namespace
}  // namespace ssm::kernels
