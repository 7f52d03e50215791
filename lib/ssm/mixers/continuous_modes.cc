#include "ssm/mixers/continuous_modes.h"

#include <cmath>

namespace ssm {

namespace {

/// -ln |A_bar| for z = dt A. Bilinear: |1 + z/2|^2 / |1 - z/2|^2 = 1 + 2 Re z / |1 - z/2|^2.
double DecayOf(DiscretizationRule rule, std::complex<double> z) {
  if (rule == DiscretizationRule::kZoh) return -z.real();
  return -0.5 * std::log1p(2 * z.real() / std::norm(1.0 - 0.5 * z));
}

}  // namespace

template <Scalar T>
std::vector<LinearMode> ContinuousModesOf(const Tape<T>& tape, const DiagonalParameters<T>& p) {
  const Shape shape = tape.shape(p.log_a_real);
  const bool own_steps = shape.rank() == 1;
  const int64_t modes = own_steps ? 1 : shape[1];
  std::vector<LinearMode> all;
  for (int64_t i = 0; i < shape.size(); ++i) {
    LinearMode mode;
    mode.channel = own_steps ? -1 : i / modes;
    mode.dt = p.dt_scale * std::exp(static_cast<double>(tape.value(p.log_dt)[i / modes]));
    mode.pole = {-std::exp(static_cast<double>(tape.value(p.log_a_real)[i])),
                 p.a_imag ? static_cast<double>(tape.value(p.a_imag)[i]) : 0};
    const kernels::DiscreteMode step =
        kernels::DiscretizeMode(p.rule, mode.dt, mode.pole.real(), mode.pole.imag());
    mode.multiplier = {1 + step.a_re, step.a_im};
    mode.decay = DecayOf(p.rule, mode.dt * mode.pole);
    mode.write = std::hypot(step.b_re, step.b_im);
    all.push_back(mode);
  }
  return all;
}

template std::vector<LinearMode> ContinuousModesOf(const Tape<float>&,
                                                   const DiagonalParameters<float>&);
template std::vector<LinearMode> ContinuousModesOf(const Tape<double>&,
                                                   const DiagonalParameters<double>&);

}  // namespace ssm
