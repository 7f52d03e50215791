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

/// Adds to a mode's gradient what `g`, the gradients of the sums, say at one block. e, p and s are
/// read from `mode`, their gradients written over the same names of `into`.
inline void AddModeGradient(const CauchyPointsView& points, const CauchyMode& mode,
                            const CauchyFactors& w, const CauchySums& g, CauchyMode& into) {
  ComplexBlock along_p, along_s;  // sum over the sums of p g and of s g
  for (int64_t j = 0; j < points.count; ++j) {
    along_p.Set(j, {0, 0});
    along_s.Set(j, {0, 0});
  }
  for (int k = 0; k < kCauchySums; ++k) {
    const ComplexBlock& gradient = g.of[k];
    const double p = mode.p[k], s = mode.s[k];
    double g_p = 0, g_s = 0;
#pragma omp simd reduction(+ : g_p, g_s)
    for (int64_t j = 0; j < points.count; ++j) {
      const double re = gradient.re[j], im = gradient.im[j];
      g_p += w.w1.re[j] * re + w.w1.im[j] * im;
      g_s += w.w2.re[j] * re + w.w2.im[j] * im;
      along_p.re[j] += p * re;
      along_p.im[j] += p * im;
      along_s.re[j] += s * re;
      along_s.im[j] += s * im;
    }
    into.p[k] += g_p;
    into.s[k] -= g_s;
  }
  // d(p w1 - s w2) / d Re a = z (p m1 - s m2), / d Im a = -z (p m2 + s m1) with m1 + i m2 =
  // 1 / (1 - z a)^2.
  double e_re = 0, e_im = 0;
#pragma omp simd reduction(+ : e_re, e_im)
  for (int64_t j = 0; j < points.count; ++j) {
    const ComplexPair<double> z = points.z.Get(j), w1 = w.w1.Get(j), w2 = w.w2.Get(j);
    const ComplexPair<double> m1 = z * (w1 * w1 - w2 * w2), m2 = 2.0 * (z * w1 * w2);
    const ComplexPair<double> gp = along_p.Get(j), gs = along_s.Get(j);
    e_re += m1.re * gp.re + m1.im * gp.im - m2.re * gs.re - m2.im * gs.im;
    e_im -= m2.re * gp.re + m2.im * gp.im + m1.re * gs.re + m1.im * gs.im;
  }
  into.e_re += e_re;
  into.e_im += e_im;
}

}  // namespace ssm::kernels
