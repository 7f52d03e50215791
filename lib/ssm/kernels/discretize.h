// From a continuous diagonal system to its steps.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// How x' = A x + u becomes x_k = A_bar x_{k-1} + B_bar u_k. With z = dt A:
/// kZoh: A_bar = e^z, B_bar = dt phi1(z), phi1(z) = (e^z - 1) / z: exact for an input held over the
/// step. kBilinear: A_bar = (1 + z/2) / (1 - z/2), B_bar = dt / (1 - z/2).
enum class DiscretizationRule { kZoh, kBilinear };

/// One mode over one step, always in double. A_bar is held as A_bar - 1, which a slow mode needs:
/// 1 - 1e-9 is 1 in single precision.
struct DiscreteMode {
  double a_re = 0, a_im = 0;  // A_bar - 1
  double b_re = 0, b_im = 0;  // B_bar
};

/// dt >= 0; A = a_re + i a_im with a_re <= 0. ZOH through expm1 and, near z = 0, the series of
/// phi1: accurate to a few ulp for every z, A = 0 included.
DiscreteMode DiscretizeMode(DiscretizationRule rule, double dt, double a_re, double a_im);

/// Gradients with respect to dt and A, given those of the mode (as pairs of real numbers).
struct ModeGradient {
  double dt = 0, a_re = 0, a_im = 0;
};
ModeGradient DiscretizeModeBackward(DiscretizationRule rule, double dt, double a_re, double a_im,
                                    const DiscreteMode& gradient);

/// Where the parameters of `channels` x `modes` modes lie: log dt [channels], log(-Re A)
/// [channels, modes], Im A [channels, modes] or null for real modes. The step is dt_scale e^log_dt.
template <class T>
struct DiagonalParameterView {
  int64_t channels = 0, modes = 0;
  const T* log_dt = nullptr;
  const T* log_a_real = nullptr;
  const T* a_imag = nullptr;
  double dt_scale = 1;
};

/// a_minus_1 and b_bar [channels, modes, 2], or [channels, modes] for real modes.
template <class T>
void Discretize(DiscretizationRule rule, const DiagonalParameterView<T>& parameters, T* a_minus_1,
                T* b_bar);

/// Adds to the gradients of the parameters, given those of a_minus_1 and b_bar. None is null but
/// g_a_imag for real modes.
template <class T>
void DiscretizeBackward(DiscretizationRule rule, const DiagonalParameterView<T>& parameters,
                        const T* ga, const T* gb, T* g_log_dt, T* g_log_a_real, T* g_a_imag);

}  // namespace ssm::kernels
