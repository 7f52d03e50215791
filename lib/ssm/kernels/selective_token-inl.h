// One token and one mode of a selective scan, for 16 channels. Only kernels' .cc files include
// this. Complex numbers are (re, im) rows of 16.
#pragma once

#include "ssm/kernels/discretize_mode.h"
#include "ssm/kernels/elementary.h"
#include "ssm/kernels/lanes-inl.h"

namespace ssm::kernels {

/// a - 1 and w of h = h + (a - 1) h + w B u, or gradients of them as pairs of reals.
template <class T>
struct WriteStep {
  T a_re = 0, a_im = 0, w_re = 0, w_im = 0;
};
template <class T>
struct WriteGradient {
  T dt = 0, pole_re = 0, pole_im = 0;
};

/// a = e^(dt A), or 2 e^(dt A) - 1; w = dt.
template <bool kSigned>
struct RealEuler {
  template <class T>
  [[gnu::always_inline]] static WriteStep<T> Make(T dt, T re, T) {
    const T expm1 = Expm1(dt * re);
    return {kSigned ? 2 * expm1 : expm1, 0, dt, 0};
  }
  template <class T>
  [[gnu::always_inline]] static WriteGradient<T> Back(T dt, T re, T, const WriteStep<T>& step,
                                                      const WriteStep<T>& g) {
    const T g_z = g.a_re * (step.a_re + (kSigned ? 2 : 1));
    return {g_z * re + g.w_re, g_z * dt, 0};
  }
};

/// a = e^(dt A), w = (a - 1) / A or dt; in double.
template <bool kZoh>
struct GeneralStep {
  template <class T>
  [[gnu::always_inline]] static WriteStep<T> Make(T dt, T re, T im) {
    const DiscreteMode m = DiscretizeModeBy<DiscretizationRule::kZoh>(
        static_cast<double>(dt), static_cast<double>(re), static_cast<double>(im));
    return {static_cast<T>(m.a_re), static_cast<T>(m.a_im), kZoh ? static_cast<T>(m.b_re) : dt,
            kZoh ? static_cast<T>(m.b_im) : T{0}};
  }
  template <class T>
  [[gnu::always_inline]] static WriteGradient<T> Back(T dt, T re, T im, const WriteStep<T>&,
                                                      const WriteStep<T>& g) {
    const DiscreteMode gradient{static_cast<double>(g.a_re), static_cast<double>(g.a_im),
                                kZoh ? static_cast<double>(g.w_re) : 0,
                                kZoh ? static_cast<double>(g.w_im) : 0};
    const ModeGradient m = DiscretizeModeBackwardBy<DiscretizationRule::kZoh>(
        static_cast<double>(dt), static_cast<double>(re), static_cast<double>(im), gradient);
    const T g_dt = static_cast<T>(m.dt);
    return {kZoh ? g_dt : g_dt + g.w_re, static_cast<T>(m.a_re), static_cast<T>(m.a_im)};
  }
};

/// What a token reads: rows of 16, but b and c, which are P numbers where they are the token's.
template <class T>
struct TokenRows {
  const T *dt, *u, *pole, *b, *c;
};
/// What a token's walk back adds to: rows of 16, but b and c as above; c and b may not be null.
template <class T>
struct TokenGradients {
  T *dt, *u, *pole, *b, *c;
};

template <class T, class Rule, int P, bool kFixed>
struct SelectiveToken {
  static constexpr T kTwice = P == 2 ? 2 : 1;

  /// h [P, 16] in place, y added to.
  static void Forward(const TokenRows<T>& rows, T* h, T* y) {
    const TokenRows<T> r = rows;
#pragma omp simd
    for (int64_t l = 0; l < kLanes; ++l) {
      const WriteStep<T> step = Rule::Make(r.dt[l], r.pole[l], Imaginary(r.pole, l));
      Advance(r, step, l, h, h);
      T sum = Number(r.c, 0, l) * h[l];
      if constexpr (P == 2) sum -= Number(r.c, 1, l) * h[kLanes + l];
      y[l] += kTwice * sum;
    }
  }

  /// The same from `before` to `after`, no y; a - 1 and w stay in kept [2, P, 16].
  static void Recompute(const TokenRows<T>& rows, const T* before, T* after, T* kept) {
    const TokenRows<T> r = rows;
#pragma omp simd
    for (int64_t l = 0; l < kLanes; ++l) {
      const WriteStep<T> step = Rule::Make(r.dt[l], r.pole[l], Imaginary(r.pole, l));
      kept[l] = step.a_re;
      kept[P * kLanes + l] = step.w_re;
      if constexpr (P == 2) {
        kept[kLanes + l] = step.a_im;
        kept[3 * kLanes + l] = step.w_im;
      }
      Advance(r, step, l, before, after);
    }
  }

  /// lambda [P, 16]: dL/dh after the token, its own y apart, and in place before it.
  static void Backward(const TokenRows<T>& rows, const T* kept, const T* before, const T* after,
                       const T* gy, T* lambda, const TokenGradients<T>& gradients) {
    const TokenRows<T> r = rows;
    const TokenGradients<T> out = gradients;
    T sum_b_re = 0, sum_b_im = 0, sum_c_re = 0, sum_c_im = 0;
#pragma omp simd reduction(+ : sum_b_re, sum_b_im, sum_c_re, sum_c_im)
    for (int64_t l = 0; l < kLanes; ++l) {
      const T g = kTwice * gy[l], u = r.u[l];
      const T a_re = kept[l], w_re = kept[P * kLanes + l], b_re = Number(r.b, 0, l);
      const T re = lambda[l] + g * Number(r.c, 0, l);
      T g_c_re = g * after[l], g_b_re = w_re * re * u;
      WriteStep<T> step{a_re, 0, w_re, 0};
      WriteStep<T> g_step{re * before[l], 0, b_re * re * u, 0};
      T g_u = re * w_re * b_re, lambda_re = re + a_re * re;
      if constexpr (P == 2) {
        const T a_im = kept[kLanes + l], w_im = kept[3 * kLanes + l], b_im = Number(r.b, 1, l);
        const T im = lambda[kLanes + l] - g * Number(r.c, 1, l);
        step.a_im = a_im;
        step.w_im = w_im;
        g_step = {re * before[l] + im * before[kLanes + l],
                  im * before[l] - re * before[kLanes + l], (b_re * re + b_im * im) * u,
                  (b_re * im - b_im * re) * u};
        g_u = re * (w_re * b_re - w_im * b_im) + im * (w_re * b_im + w_im * b_re);
        g_b_re = (w_re * re + w_im * im) * u;
        const T g_b_im = (w_re * im - w_im * re) * u, g_c_im = -g * after[kLanes + l];
        if constexpr (kFixed) {
          out.b[kLanes + l] += g_b_im;
          out.c[kLanes + l] += g_c_im;
        } else {
          sum_b_im += g_b_im;
          sum_c_im += g_c_im;
        }
        lambda_re += a_im * im;
        lambda[kLanes + l] = im + a_re * im - a_im * re;
      }
      lambda[l] = lambda_re;
      if constexpr (kFixed) {
        out.b[l] += g_b_re;
        out.c[l] += g_c_re;
      } else {
        sum_b_re += g_b_re;
        sum_c_re += g_c_re;
      }
      const WriteGradient<T> chain =
          Rule::Back(r.dt[l], r.pole[l], Imaginary(r.pole, l), step, g_step);
      out.u[l] += g_u;
      out.dt[l] += chain.dt;
      out.pole[l] += chain.pole_re;
      if constexpr (P == 2) out.pole[kLanes + l] += chain.pole_im;
    }
    if constexpr (!kFixed) {
      out.b[0] += sum_b_re;
      out.c[0] += sum_c_re;
      if constexpr (P == 2) {
        out.b[1] += sum_b_im;
        out.c[1] += sum_c_im;
      }
    }
  }

 private:
  [[gnu::always_inline]] static T Number(const T* row, int part, int64_t l) {
    return kFixed ? row[part * kLanes + l] : row[part];
  }
  [[gnu::always_inline]] static T Imaginary(const T* row, int64_t l) {
    return P == 2 ? row[kLanes + l] : T{0};
  }
  /// The increment is summed first: one of a slow mode keeps its digits.
  [[gnu::always_inline]] static void Advance(const TokenRows<T>& r, const WriteStep<T>& step,
                                             int64_t l, const T* before, T* after) {
    const T u = r.u[l], b_re = Number(r.b, 0, l), re = before[l];
    if constexpr (P == 1) {
      after[l] = re + (step.a_re * re + step.w_re * b_re * u);
    } else {
      const T b_im = Number(r.b, 1, l), im = before[kLanes + l];
      const T drive_re = (step.w_re * b_re - step.w_im * b_im) * u;
      const T drive_im = (step.w_re * b_im + step.w_im * b_re) * u;
      after[l] = re + (step.a_re * re - step.a_im * im + drive_re);
      after[kLanes + l] = im + (step.a_re * im + step.a_im * re + drive_im);
    }
  }
};

}  // namespace ssm::kernels
