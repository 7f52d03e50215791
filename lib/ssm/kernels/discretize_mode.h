// One mode over one step, without branches: loops over modes or channels vectorise. That needs
// every call inlined, which GCC left to itself does not always do.
#pragma once

#include <array>

#include "ssm/kernels/complex_pair.h"
#include "ssm/kernels/discretize.h"
#include "ssm/kernels/elementary.h"
#include "ssm/kernels/sine_cosine.h"

namespace ssm::kernels {

/// e^z - 1 for Re z <= 709, without cancellation.
[[gnu::always_inline]] inline ComplexPair<double> ComplexExpm1(ComplexPair<double> z) {
  using F = Float<double>;
  const double low = z.re < F::kExpMin ? F::kExpMin : z.re;
  const ExpParts<double> e = SplitExp(low > F::kExpMax - 1 ? F::kExpMax - 1 : low);
  const double power = PowerOfTwo<double>(e.n);
  const double growth = power * e.q + (power - 1);  // expm1(Re z)
  const SineCosine half = SinCos(0.5 * z.im);
  const double versine = 2 * half.sine * half.sine;  // 1 - cos
  return {growth * (1 - versine) - versine, (growth + 1) * (2 * half.sine * half.cosine)};
}

/// 1 / z, and 1 for z = 0.
[[gnu::always_inline]] inline ComplexPair<double> InverseOrOne(ComplexPair<double> z) {
  const bool zero = z.re == 0 && z.im == 0;
  return Inverse(ComplexPair<double>{zero ? 1 : z.re, z.im});
}

/// (k+1) / (k+2)!, every second from `first`: the even or the odd terms of phi1'.
template <int kFirst>
inline constexpr auto kPhi1Series = [] {
  std::array<double, 5> c{};
  for (size_t i = 0; i < c.size(); ++i) {
    const int k = kFirst + 2 * static_cast<int>(i);
    c[i] = k + 1;
    for (int j = 2; j <= k + 2; ++j) c[i] /= j;
  }
  return c;
}();

template <size_t N>
[[gnu::always_inline]] inline ComplexPair<double> ComplexPolynomial(const std::array<double, N>& c,
                                                                    ComplexPair<double> z) {
  ComplexPair<double> sum{c[N - 1], 0};
#pragma GCC unroll 8
  for (size_t k = N - 1; k > 0; --k) sum = z * sum + ComplexPair<double>{c[k - 1], 0};
  return sum;
}

/// phi1'(z) = (e^z - phi1(z)) / z; by its series sum_k (k+1) z^k / (k+2)! below 0.1, where that
/// cancels. Relative error below 1e-14.
[[gnu::always_inline]] inline ComplexPair<double> Phi1Derivative(ComplexPair<double> z,
                                                                 ComplexPair<double> expm1) {
  const double size = (z.re < 0 ? -z.re : z.re) + (z.im < 0 ? -z.im : z.im);
  const bool small = size < 0.1;
  const ComplexPair<double> base{small ? z.re : 0, small ? z.im : 0}, square = base * base;
  const ComplexPair<double> series =
      ComplexPolynomial(kPhi1Series<0>, square) + base * ComplexPolynomial(kPhi1Series<1>, square);
  const ComplexPair<double> inverse = InverseOrOne(z);
  const ComplexPair<double> direct =
      inverse * (ComplexPair<double>{1, 0} + expm1 - inverse * expm1);
  return {small ? series.re : direct.re, small ? series.im : direct.im};
}

/// See DiscretizeMode.
template <DiscretizationRule kRule>
[[gnu::always_inline]] inline DiscreteMode DiscretizeModeBy(double dt, double a_re, double a_im) {
  const ComplexPair<double> z{dt * a_re, dt * a_im};
  if constexpr (kRule == DiscretizationRule::kZoh) {
    const ComplexPair<double> a = ComplexExpm1(z);
    const bool zero = z.re == 0 && z.im == 0;
    const ComplexPair<double> phi1 = a * InverseOrOne(z);
    return {a.re, a.im, dt * (zero ? 1 : phi1.re), dt * phi1.im};
  } else {
    const ComplexPair<double> r = Inverse(ComplexPair<double>{1 - 0.5 * z.re, -0.5 * z.im});
    const ComplexPair<double> a = z * r;
    return {a.re, a.im, dt * r.re, dt * r.im};
  }
}

/// See DiscretizeModeBackward.
template <DiscretizationRule kRule>
[[gnu::always_inline]] inline ModeGradient DiscretizeModeBackwardBy(double dt, double a_re,
                                                                    double a_im,
                                                                    const DiscreteMode& gradient) {
  const ComplexPair<double> a{a_re, a_im}, z = dt * a;
  const ComplexPair<double> ga{gradient.a_re, gradient.a_im}, gb{gradient.b_re, gradient.b_im};
  ComplexPair<double> step;   // dA_bar/dz, which is also dB_bar/ddt
  ComplexPair<double> input;  // dB_bar/dA
  if constexpr (kRule == DiscretizationRule::kZoh) {
    const ComplexPair<double> expm1 = ComplexExpm1(z);
    step = ComplexPair<double>{1, 0} + expm1;
    input = (dt * dt) * Phi1Derivative(z, expm1);
  } else {
    const ComplexPair<double> r = Inverse(ComplexPair<double>{1 - 0.5 * z.re, -0.5 * z.im});
    step = r * r;
    input = (0.5 * dt * dt) * step;
  }
  const ComplexPair<double> g_step = Conj(step) * ga;
  const ComplexPair<double> g_a = dt * g_step + Conj(input) * gb;
  return {(Conj(a) * g_step + Conj(step) * gb).re, g_a.re, g_a.im};
}

}  // namespace ssm::kernels
