#include "ssm/kernels/discretize.h"

#include <cmath>

#include "ssm/kernels/discretize_mode.h"

namespace ssm::kernels {
namespace {

template <class T>
double Step(const DiagonalParameterView<T>& p, int64_t channel) {
  return p.dt_scale * std::exp(static_cast<double>(p.log_dt[channel]));
}

/// The modes of one channel. Real modes have no imaginary parts: kComplex tells.
template <class T, DiscretizationRule kRule, bool kComplex>
void DiscretizeChannel(const DiagonalParameterView<T>& p, int64_t channel, T* a, T* b) {
  constexpr int64_t kParts = kComplex ? 2 : 1;
  const double dt = Step(p, channel);
  const T* log_a_real = p.log_a_real + channel * p.modes;
  const T* a_imag = kComplex ? p.a_imag + channel * p.modes : nullptr;
  a += channel * p.modes * kParts;
  b += channel * p.modes * kParts;
#pragma omp simd
  for (int64_t n = 0; n < p.modes; ++n) {
    const double a_re = -Exp(static_cast<double>(log_a_real[n]));
    const double a_im = kComplex ? static_cast<double>(a_imag[n]) : 0;
    const DiscreteMode mode = DiscretizeModeBy<kRule>(dt, a_re, a_im);
    a[n * kParts] = static_cast<T>(mode.a_re);
    b[n * kParts] = static_cast<T>(mode.b_re);
    if constexpr (kComplex) {
      a[n * kParts + 1] = static_cast<T>(mode.a_im);
      b[n * kParts + 1] = static_cast<T>(mode.b_im);
    }
  }
}

/// The same backwards; returns dL/d log dt. `ga` and `gb` are given, g_log_a_real and g_a_imag not
/// null (the latter under kComplex).
template <class T, DiscretizationRule kRule, bool kComplex>
double DiscretizeChannelBackward(const DiagonalParameterView<T>& p, int64_t channel, const T* ga,
                                 const T* gb, T* g_log_a_real, T* g_a_imag) {
  constexpr int64_t kParts = kComplex ? 2 : 1;
  const double dt = Step(p, channel);
  double g_dt = 0;
#pragma omp simd reduction(+ : g_dt)
  for (int64_t i = channel * p.modes; i < (channel + 1) * p.modes; ++i) {
    const double a_re = -Exp(static_cast<double>(p.log_a_real[i]));
    const double a_im = kComplex ? static_cast<double>(p.a_imag[i]) : 0;
    const int64_t re = i * kParts, im = re + kParts - 1;
    const DiscreteMode gradient{
        static_cast<double>(ga[re]), kComplex ? static_cast<double>(ga[im]) : 0,
        static_cast<double>(gb[re]), kComplex ? static_cast<double>(gb[im]) : 0};
    const ModeGradient g = DiscretizeModeBackwardBy<kRule>(dt, a_re, a_im, gradient);
    g_dt += g.dt;
    g_log_a_real[i] += static_cast<T>(a_re * g.a_re);
    if constexpr (kComplex) g_a_imag[i] += static_cast<T>(g.a_im);
  }
  return dt * g_dt;
}

}  // namespace

DiscreteMode DiscretizeMode(DiscretizationRule rule, double dt, double a_re, double a_im) {
  return rule == DiscretizationRule::kZoh
             ? DiscretizeModeBy<DiscretizationRule::kZoh>(dt, a_re, a_im)
             : DiscretizeModeBy<DiscretizationRule::kBilinear>(dt, a_re, a_im);
}

ModeGradient DiscretizeModeBackward(DiscretizationRule rule, double dt, double a_re, double a_im,
                                    const DiscreteMode& gradient) {
  return rule == DiscretizationRule::kZoh
             ? DiscretizeModeBackwardBy<DiscretizationRule::kZoh>(dt, a_re, a_im, gradient)
             : DiscretizeModeBackwardBy<DiscretizationRule::kBilinear>(dt, a_re, a_im, gradient);
}

template <class T>
void Discretize(DiscretizationRule rule, const DiagonalParameterView<T>& p, T* a_minus_1,
                T* b_bar) {
  constexpr auto kZoh = DiscretizationRule::kZoh, kBilinear = DiscretizationRule::kBilinear;
  const bool zoh = rule == kZoh;
  const auto complex =
      zoh ? DiscretizeChannel<T, kZoh, true> : DiscretizeChannel<T, kBilinear, true>;
  const auto real =
      zoh ? DiscretizeChannel<T, kZoh, false> : DiscretizeChannel<T, kBilinear, false>;
  const auto run = p.a_imag != nullptr ? complex : real;
  for (int64_t d = 0; d < p.channels; ++d) run(p, d, a_minus_1, b_bar);
}

template <class T>
void DiscretizeBackward(DiscretizationRule rule, const DiagonalParameterView<T>& p, const T* ga,
                        const T* gb, T* g_log_dt, T* g_log_a_real, T* g_a_imag) {
  constexpr auto kZoh = DiscretizationRule::kZoh, kBilinear = DiscretizationRule::kBilinear;
  const bool zoh = rule == kZoh;
  const auto complex = zoh ? DiscretizeChannelBackward<T, kZoh, true>
                           : DiscretizeChannelBackward<T, kBilinear, true>;
  const auto real = zoh ? DiscretizeChannelBackward<T, kZoh, false>
                        : DiscretizeChannelBackward<T, kBilinear, false>;
  const auto run = p.a_imag != nullptr ? complex : real;
  for (int64_t d = 0; d < p.channels; ++d) {
    g_log_dt[d] += static_cast<T>(run(p, d, ga, gb, g_log_a_real, g_a_imag));
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
