#include "ssm/kernels/discretize.h"

#include <cmath>

#include "ssm/kernels/complex_pair.h"

namespace ssm::kernels {
namespace {

using Complex = ComplexPair<double>;

/// e^z - 1 without cancellation.
Complex Expm1(Complex z) {
  const double growth = std::expm1(z.re);
  const double half_sine = std::sin(0.5 * z.im);
  return {growth * std::cos(z.im) - 2 * half_sine * half_sine, (growth + 1) * std::sin(z.im)};
}

/// phi1'(z) = (z e^z - (e^z - 1)) / z^2; by its series sum_k (k+1) z^k / (k+2)! where that cancels.
Complex Phi1Derivative(Complex z, Complex expm1) {
  const double size = std::abs(z.re) + std::abs(z.im);
  if (size > 0.5) {
    const Complex inverse = Inverse(z);
    return inverse * (Complex{1, 0} + expm1 - inverse * expm1);
  }
  Complex sum;
  constexpr int kTerms = 15;
  double coefficient = kTerms + 1;  // (k+1) / (k+2)! at k = kTerms, by Horner with ratios
  for (int k = 2; k <= kTerms + 2; ++k) coefficient /= k;
  for (int k = kTerms; k >= 0; --k) {
    sum = z * sum + Complex{coefficient, 0};
    coefficient *= static_cast<double>(k) * (k + 2) / (k + 1.0);
  }
  return sum;
}

struct ModeDerivatives {
  Complex step;   // dA_bar/dz, which is also dB_bar/ddt
  Complex input;  // dB_bar/dA
};

ModeDerivatives Derivatives(DiscretizationRule rule, double dt, Complex z) {
  if (rule == DiscretizationRule::kZoh) {
    const Complex expm1 = Expm1(z);
    return {Complex{1, 0} + expm1, dt * dt * Phi1Derivative(z, expm1)};
  }
  const Complex r = Inverse(Complex{1, 0} - 0.5 * z);
  return {r * r, 0.5 * dt * dt * (r * r)};
}

}  // namespace

DiscreteMode DiscretizeMode(DiscretizationRule rule, double dt, double a_re, double a_im) {
  const Complex z{dt * a_re, dt * a_im};
  Complex a, b;
  if (rule == DiscretizationRule::kZoh) {
    a = Expm1(z);
    const bool zero = z.re == 0 && z.im == 0;
    b = zero ? Complex{dt, 0} : dt * (a * Inverse(z));
  } else {
    const Complex r = Inverse(Complex{1, 0} - 0.5 * z);
    a = z * r;
    b = dt * r;
  }
  return {a.re, a.im, b.re, b.im};
}

ModeGradient DiscretizeModeBackward(DiscretizationRule rule, double dt, double a_re, double a_im,
                                    const DiscreteMode& gradient) {
  const Complex a{a_re, a_im};
  const Complex ga{gradient.a_re, gradient.a_im}, gb{gradient.b_re, gradient.b_im};
  const ModeDerivatives d = Derivatives(rule, dt, dt * a);
  const Complex g_step = Conj(d.step) * ga;
  const Complex g_a = dt * g_step + Conj(d.input) * gb;
  const double g_dt = (Conj(a) * g_step + Conj(d.step) * gb).re;
  return {g_dt, g_a.re, g_a.im};
}

template <class T>
void Discretize(DiscretizationRule rule, const DiagonalParameterView<T>& p, T* a_minus_1,
                T* b_bar) {
  const bool complex = p.a_imag != nullptr;
  const int64_t parts = complex ? 2 : 1;
  for (int64_t d = 0; d < p.channels; ++d) {
    const double dt = p.dt_scale * std::exp(static_cast<double>(p.log_dt[d]));
    for (int64_t i = d * p.modes; i < (d + 1) * p.modes; ++i) {
      const double a_re = -std::exp(static_cast<double>(p.log_a_real[i]));
      const double a_im = complex ? static_cast<double>(p.a_imag[i]) : 0;
      const DiscreteMode mode = DiscretizeMode(rule, dt, a_re, a_im);
      a_minus_1[i * parts] = static_cast<T>(mode.a_re);
      b_bar[i * parts] = static_cast<T>(mode.b_re);
      if (!complex) continue;
      a_minus_1[i * parts + 1] = static_cast<T>(mode.a_im);
      b_bar[i * parts + 1] = static_cast<T>(mode.b_im);
    }
  }
}

template <class T>
void DiscretizeBackward(DiscretizationRule rule, const DiagonalParameterView<T>& p, const T* ga,
                        const T* gb, T* g_log_dt, T* g_log_a_real, T* g_a_imag) {
  const bool complex = p.a_imag != nullptr;
  const int64_t parts = complex ? 2 : 1;
  const auto part = [parts](const T* g, int64_t i, int64_t k) {
    return g != nullptr && k < parts ? static_cast<double>(g[i * parts + k]) : 0.0;
  };
  for (int64_t d = 0; d < p.channels; ++d) {
    const double dt = p.dt_scale * std::exp(static_cast<double>(p.log_dt[d]));
    double g_dt = 0;
    for (int64_t i = d * p.modes; i < (d + 1) * p.modes; ++i) {
      const double a_re = -std::exp(static_cast<double>(p.log_a_real[i]));
      const double a_im = complex ? static_cast<double>(p.a_imag[i]) : 0;
      const ModeGradient g = DiscretizeModeBackward(
          rule, dt, a_re, a_im, {part(ga, i, 0), part(ga, i, 1), part(gb, i, 0), part(gb, i, 1)});
      g_dt += g.dt;
      if (g_log_a_real != nullptr) g_log_a_real[i] += static_cast<T>(a_re * g.a_re);
      if (g_a_imag != nullptr) g_a_imag[i] += static_cast<T>(g.a_im);
    }
    if (g_log_dt != nullptr) g_log_dt[d] += static_cast<T>(dt * g_dt);
  }
}

#define SSM_INSTANTIATE(T)                                                                        \
  template void Discretize(DiscretizationRule, const DiagonalParameterView<T>&, T*, T*);          \
  template void DiscretizeBackward(DiscretizationRule, const DiagonalParameterView<T>&, const T*, \
                                   const T*, T*, T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
