// Sums over the modes of one channel at a few points of the generating function's circle.
#pragma once

#include <cstdint>

#include "ssm/kernels/complex_pair.h"

namespace ssm::kernels {

/// At most this many points at a time: all their sums stay in the first-level cache.
inline constexpr int64_t kCauchyBlock = 64;

/// Which two vectors a sum multiplies.
enum CauchySum { kSumCB, kSumCV, kSumFB, kSumFV, kCauchySums };

/// Complex numbers, parts apart.
struct ComplexRow {
  double* re;
  double* im;
  [[gnu::always_inline]] ComplexPair<double> Get(int64_t j) const { return {re[j], im[j]}; }
  [[gnu::always_inline]] void Set(int64_t j, ComplexPair<double> z) const {
    re[j] = z.re;
    im[j] = z.im;
  }
  ComplexRow From(int64_t j) const { return {re + j, im + j}; }
};

/// The same with room for one block.
struct ComplexBlock {
  alignas(64) double re[kCauchyBlock];
  alignas(64) double im[kCauchyBlock];
  [[gnu::always_inline]] ComplexPair<double> Get(int64_t j) const { return {re[j], im[j]}; }
  [[gnu::always_inline]] void Set(int64_t j, ComplexPair<double> z) {
    re[j] = z.re;
    im[j] = z.im;
  }
};

/// `count` points: z and, held by itself because it is exact near 1, q = 1 - z.
struct CauchyPointsView {
  ComplexRow z, q;
  int64_t count = 0;
};

/// One mode: e = a - 1 and, of each product X = u w of a sum, p = 2 Re X and s = 2 Im X.
struct CauchyMode {
  double e_re = 0, e_im = 0;
  double p[kCauchySums] = {}, s[kCauchySums] = {};
};

/// X / (1 - z a) + conj(X) / (1 - z conj(a)) = p w1 - s w2, with 1 / (1 - z a) = w1 + i w2 and 1 /
/// (1 - z conj(a)) = w1 - i w2.
struct CauchyFactors {
  ComplexBlock w1, w2;

  void Compute(const CauchyPointsView& points, const CauchyMode& mode) {
    const double *z_re = points.z.re, *z_im = points.z.im;
    const double *q_re = points.q.re, *q_im = points.q.im;
    const double e_re = mode.e_re, e_im = mode.e_im;
    const int64_t count = points.count;
#pragma omp simd
    for (int64_t j = 0; j < count; ++j) {
      const double t_re = q_re[j] - e_re * z_re[j], t_im = q_im[j] - e_re * z_im[j];
      const double s_re = e_im * z_re[j], s_im = e_im * z_im[j];
      // (1 - z a)(1 - z conj(a)); each factor is near zero only by itself.
      const ComplexPair<double> product = ComplexPair<double>{t_re + s_im, t_im - s_re} *
                                          ComplexPair<double>{t_re - s_im, t_im + s_re};
      const double norm = 1 / (product.re * product.re + product.im * product.im);
      const double re = product.re * norm, im = -product.im * norm;
      w1.re[j] = t_re * re - t_im * im;
      w1.im[j] = t_re * im + t_im * re;
      w2.re[j] = s_re * re - s_im * im;
      w2.im[j] = s_re * im + s_im * re;
    }
  }
};

/// The four sums at the points of a block.
struct CauchySums {
  ComplexBlock of[kCauchySums];

  void Clear(int64_t count) {
    for (ComplexBlock& sum : of) {
      for (int64_t j = 0; j < count; ++j) sum.Set(j, {0, 0});
    }
  }

  void Add(int64_t count, const CauchyMode& mode, const CauchyFactors& w) {
    for (int k = 0; k < kCauchySums; ++k) {
      ComplexBlock& sum = of[k];
      const double p = mode.p[k], s = mode.s[k];
#pragma omp simd
      for (int64_t j = 0; j < count; ++j) {
        sum.re[j] += p * w.w1.re[j] - s * w.w2.re[j];
        sum.im[j] += p * w.w1.im[j] - s * w.w2.im[j];
      }
    }
  }
};

/// K^ = S(c, b) - z S(c, v) S(f, b) / (1 + z S(f, v)).
inline void GeneratingFunction(const CauchyPointsView& points, const CauchySums& sums,
                               ComplexBlock& value) {
#pragma omp simd
  for (int64_t j = 0; j < points.count; ++j) {
    const ComplexPair<double> z = points.z.Get(j);
    const ComplexPair<double> inverse =
        Inverse(ComplexPair<double>{1, 0} + z * sums.of[kSumFV].Get(j));
    value.Set(
        j, sums.of[kSumCB].Get(j) - z * inverse * sums.of[kSumCV].Get(j) * sums.of[kSumFB].Get(j));
  }
}

/// Replaces the sums by their gradients, given those of K^.
inline void GeneratingFunctionBackward(const CauchyPointsView& points, const ComplexRow& g,
                                       CauchySums& sums) {
#pragma omp simd
  for (int64_t j = 0; j < points.count; ++j) {
    const ComplexPair<double> z = points.z.Get(j), gradient = g.Get(j);
    const ComplexPair<double> ratio =
        z * Inverse(ComplexPair<double>{1, 0} + z * sums.of[kSumFV].Get(j));
    const ComplexPair<double> out = ratio * sums.of[kSumCV].Get(j);
    const ComplexPair<double> in = ratio * sums.of[kSumFB].Get(j);
    const ComplexPair<double> minus{-gradient.re, -gradient.im};
    sums.of[kSumCB].Set(j, gradient);
    sums.of[kSumCV].Set(j, Conj(in) * minus);
    sums.of[kSumFB].Set(j, Conj(out) * minus);
    sums.of[kSumFV].Set(j, Conj(in * out) * gradient);
  }
}

/// Adds to the gradients `into` of a mode's e, p and s what `g`, the gradients of the sums, say at
/// one block. Written in real numbers: with pairs GCC 12 leaves the loop scalar.
inline void AddModeGradient(const CauchyPointsView& points, const CauchyMode& mode,
                            const CauchyFactors& w, const CauchySums& g, CauchyMode& into) {
  const double *z_re = points.z.re, *z_im = points.z.im;
  const double *w1_re = w.w1.re, *w1_im = w.w1.im, *w2_re = w.w2.re, *w2_im = w.w2.im;
  const double *g0_re = g.of[0].re, *g0_im = g.of[0].im, *g1_re = g.of[1].re, *g1_im = g.of[1].im;
  const double *g2_re = g.of[2].re, *g2_im = g.of[2].im, *g3_re = g.of[3].re, *g3_im = g.of[3].im;
  const CauchyMode m = mode;
  const int64_t count = points.count;
  double p0 = 0, p1 = 0, p2 = 0, p3 = 0, s0 = 0, s1 = 0, s2 = 0, s3 = 0, e_re = 0, e_im = 0;
#pragma omp simd reduction(+ : p0, p1, p2, p3, s0, s1, s2, s3, e_re, e_im)
  for (int64_t j = 0; j < count; ++j) {
    const double u_re = w1_re[j], u_im = w1_im[j], v_re = w2_re[j], v_im = w2_im[j];
    p0 += u_re * g0_re[j] + u_im * g0_im[j];
    p1 += u_re * g1_re[j] + u_im * g1_im[j];
    p2 += u_re * g2_re[j] + u_im * g2_im[j];
    p3 += u_re * g3_re[j] + u_im * g3_im[j];
    s0 -= v_re * g0_re[j] + v_im * g0_im[j];
    s1 -= v_re * g1_re[j] + v_im * g1_im[j];
    s2 -= v_re * g2_re[j] + v_im * g2_im[j];
    s3 -= v_re * g3_re[j] + v_im * g3_im[j];
    // d(p w1 - s w2) / d Re a = p m1 - s m2, / d Im a = -(p m2 + s m1) with m1 + i m2 = z / (1 - z
    // a)^2, m1 - i m2 = z / (1 - z conj(a))^2.
    const double sum_re = (u_re + v_re) * (u_re - v_re) - (u_im + v_im) * (u_im - v_im);
    const double sum_im = (u_re + v_re) * (u_im - v_im) + (u_im + v_im) * (u_re - v_re);
    const double cross_re = 2 * (u_re * v_re - u_im * v_im);
    const double cross_im = 2 * (u_re * v_im + u_im * v_re);
    const double m1_re = z_re[j] * sum_re - z_im[j] * sum_im;
    const double m1_im = z_re[j] * sum_im + z_im[j] * sum_re;
    const double m2_re = z_re[j] * cross_re - z_im[j] * cross_im;
    const double m2_im = z_re[j] * cross_im + z_im[j] * cross_re;
    const double gp_re =
        m.p[0] * g0_re[j] + m.p[1] * g1_re[j] + m.p[2] * g2_re[j] + m.p[3] * g3_re[j];
    const double gp_im =
        m.p[0] * g0_im[j] + m.p[1] * g1_im[j] + m.p[2] * g2_im[j] + m.p[3] * g3_im[j];
    const double gs_re =
        m.s[0] * g0_re[j] + m.s[1] * g1_re[j] + m.s[2] * g2_re[j] + m.s[3] * g3_re[j];
    const double gs_im =
        m.s[0] * g0_im[j] + m.s[1] * g1_im[j] + m.s[2] * g2_im[j] + m.s[3] * g3_im[j];
    e_re += m1_re * gp_re + m1_im * gp_im - m2_re * gs_re - m2_im * gs_im;
    e_im -= m2_re * gp_re + m2_im * gp_im + m1_re * gs_re + m1_im * gs_im;
  }
  const double p[] = {p0, p1, p2, p3}, s[] = {s0, s1, s2, s3};
  for (int k = 0; k < kCauchySums; ++k) {
    into.p[k] += p[k];
    into.s[k] += s[k];
  }
  into.e_re += e_re;
  into.e_im += e_im;
}

}  // namespace ssm::kernels
