// Diagonal minus rank-one systems as dense matrices over both of every conjugate pair.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <cstdint>
#include <vector>

#include "ssm/kernels/discretize_dplr.h"
#include "support/numbers.h"

namespace ssm::kernels::test_dplr {

using Complex = std::complex<double>;

/// Parameters of systems with steps from e^-6 to e^-1.
template <class T>
struct Parameters {
  Parameters(int64_t channel_count, int64_t mode_count)
      : channels(channel_count), modes(mode_count) {
    const int64_t all = channels * modes;
    log_a_real = test::Numbers<T>(all, 1);
    a_imag = test::Numbers<T>(all, 2);
    p = test::Numbers<T>(2 * all, 3);
    b = test::Numbers<T>(2 * all, 4);
    c = test::Numbers<T>(2 * all, 5);
    for (size_t i = 0; i < a_imag.size(); ++i) a_imag[i] *= T(1 + 5 * (i % size_t(modes)));
    for (int64_t k = 0; k < channels; ++k) {
      const double slot = channels == 1 ? 0 : double(k) / double(channels - 1);
      log_dt.push_back(static_cast<T>(-6 + 5 * slot));
    }
  }

  DplrParameterView<T> View(double dt_scale = 1) const {
    return {channels,      modes,    log_dt.data(), log_a_real.data(),
            a_imag.data(), p.data(), b.data(),      dt_scale};
  }

  int64_t channels, modes;
  std::vector<T> log_dt, log_a_real, a_imag, p, b, c;
};

/// What DiscretizeDplr gives.
template <class T>
struct Steps {
  Steps(const DplrParameterView<T>& view)
      : a(size_t(2 * view.channels * view.modes)), v(a), f(a), b(a) {
    DiscretizeDplr<T>(view, {a.data(), v.data(), f.data(), b.data()});
  }
  std::vector<T> a, v, f, b;
};

template <class T>
Eigen::VectorXcd BothOf(const std::vector<T>& pairs, int64_t channel, int64_t modes) {
  Eigen::VectorXcd both(2 * modes);
  for (int64_t n = 0; n < modes; ++n) {
    const size_t i = size_t(2 * (channel * modes + n));
    both(n) = Complex(pairs[i], pairs[i + 1]);
    both(modes + n) = std::conj(both(n));
  }
  return both;
}

/// A_bar, B_bar and C of one channel by the bilinear rule on the dense A = Lambda - P P*.
struct Dense {
  Eigen::MatrixXcd a;
  Eigen::VectorXcd b;
  Eigen::VectorXcd c;

  template <class T>
  Dense(const Parameters<T>& parameters, int64_t channel, double dt_scale = 1) {
    const int64_t modes = parameters.modes;
    const double h = 0.5 * dt_scale * std::exp(double(parameters.log_dt[size_t(channel)]));
    const Eigen::VectorXcd p = BothOf(parameters.p, channel, modes);
    Eigen::MatrixXcd A = -p * p.adjoint();
    for (int64_t n = 0; n < modes; ++n) {
      const size_t i = size_t(channel * modes + n);
      const Complex lambda(-std::exp(double(parameters.log_a_real[i])), parameters.a_imag[i]);
      A(n, n) += lambda;
      A(modes + n, modes + n) += std::conj(lambda);
    }
    const auto one = Eigen::MatrixXcd::Identity(2 * modes, 2 * modes);
    const Eigen::PartialPivLU<Eigen::MatrixXcd> solver(one - h * A);
    a = solver.solve(one + h * A);
    b = solver.solve(2 * h * BothOf(parameters.b, channel, modes));
    c = BothOf(parameters.c, channel, modes);
  }

  /// C A_bar^k B_bar for k < length.
  std::vector<double> Kernel(int64_t length) const {
    std::vector<double> kernel;
    Eigen::VectorXcd x = b;
    for (int64_t k = 0; k < length; ++k) {
      kernel.push_back((c.transpose() * x)(0).real());
      x = (a * x).eval();
    }
    return kernel;
  }
};

}  // namespace ssm::kernels::test_dplr
