#include "ssm/autograd/ops/irregular_modes.h"

#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

using kernels::DiscreteMode;
using kernels::ModeGradient;

constexpr double kFlops = 68;  // a token and mode

/// The arrays behind an operation, [M] each but dt.
template <class T>
struct ModeView {
  int64_t tokens = 0, modes = 0;
  const T *log_dt, *log_a_real, *a_imag, *dt;
  double dt_scale = 1;
  DiscretizationRule rule = DiscretizationRule::kZoh;

  double Own(int64_t m) const { return dt_scale * std::exp(static_cast<double>(log_dt[m])); }
  double Real(int64_t m) const { return -std::exp(static_cast<double>(log_a_real[m])); }
  double Imag(int64_t m) const { return static_cast<double>(a_imag[m]); }
};

/// Of the parameters and of what comes with tokens; none is null.
template <class T>
struct ModeGradients {
  T *log_dt, *log_a_real, *a_imag, *dt, *u;
};

template <class T>
void Discretize(const ModeView<T>& view, const T* u, T* a, T* b) {
  for (int64_t m = 0; m < view.modes; ++m) {
    const double own = view.Own(m), re = view.Real(m), im = view.Imag(m);
    for (int64_t t = 0; t < view.tokens; ++t) {
      const int64_t at = 2 * (t * view.modes + m);
      const DiscreteMode mode =
          kernels::DiscretizeMode(view.rule, own * static_cast<double>(view.dt[t]), re, im);
      const double u_re = static_cast<double>(u[at]), u_im = static_cast<double>(u[at + 1]);
      a[at] = static_cast<T>(mode.a_re);
      a[at + 1] = static_cast<T>(mode.a_im);
      b[at] = static_cast<T>(mode.b_re * u_re - mode.b_im * u_im);
      b[at + 1] = static_cast<T>(mode.b_re * u_im + mode.b_im * u_re);
    }
  }
}

template <class T>
void DiscretizeBackward(const ModeView<T>& view, const T* u, const T* ga, const T* gb,
                        const ModeGradients<T>& to) {
  for (int64_t m = 0; m < view.modes; ++m) {
    const double own = view.Own(m), re = view.Real(m), im = view.Imag(m);
    double g_own = 0, g_re = 0, g_im = 0;
    for (int64_t t = 0; t < view.tokens; ++t) {
      const int64_t at = 2 * (t * view.modes + m);
      const double dt = static_cast<double>(view.dt[t]);
      const DiscreteMode mode = kernels::DiscretizeMode(view.rule, own * dt, re, im);
      const double u_re = static_cast<double>(u[at]), u_im = static_cast<double>(u[at + 1]);
      const double gb_re = static_cast<double>(gb[at]), gb_im = static_cast<double>(gb[at + 1]);
      // b = B_bar u: each gradient is that of b times the conjugate of the other factor.
      const DiscreteMode g_mode{static_cast<double>(ga[at]), static_cast<double>(ga[at + 1]),
                                gb_re * u_re + gb_im * u_im, gb_im * u_re - gb_re * u_im};
      to.u[at] += static_cast<T>(gb_re * mode.b_re + gb_im * mode.b_im);
      to.u[at + 1] += static_cast<T>(gb_im * mode.b_re - gb_re * mode.b_im);
      const ModeGradient g = kernels::DiscretizeModeBackward(view.rule, own * dt, re, im, g_mode);
      to.dt[t] += static_cast<T>(g.dt * own);
      g_own += g.dt * dt;
      g_re += g.a_re;
      g_im += g.a_im;
    }
    to.log_dt[m] += static_cast<T>(g_own * own);
    to.log_a_real[m] += static_cast<T>(g_re * re);
    to.a_imag[m] += static_cast<T>(g_im);
  }
}

template <Scalar T>
ModeView<T> View(const Tape<T>& tape, const DiagonalParameters<T>& p, Var<T> dt, int64_t tokens,
                 int64_t modes) {
  return {tokens,
          modes,
          tape.value(p.log_dt),
          tape.value(p.log_a_real),
          tape.value(p.a_imag),
          tape.value(dt),
          p.dt_scale,
          p.rule};
}

}  // namespace

template <Scalar T>
IrregularModeOutputs<T> IrregularModes(Tape<T>& tape, Var<T> u, Var<T> dt,
                                       const DiagonalParameters<T>& parameters) {
  const DiagonalParameters<T> p = parameters;
  const Shape shape = tape.shape(u), one = tape.shape(p.log_a_real);
  SSM_CHECK(
      p.a_imag && one.rank() == 1 && tape.shape(p.a_imag) == one && tape.shape(p.log_dt) == one,
      "the modes have parameters [M] each, A_imag too");
  const int64_t modes = one[0], tokens = tape.shape(dt).size();
  SSM_CHECK(shape.rank() == 3 && shape[2] == 2 * modes && shape[0] * shape[1] == tokens,
            "u is [B, T, 2 M] and dt [B, T], not " + shape.ToString());
  const Var<T> a = tape.New({shape[0], shape[1], modes, 2}), b = tape.New(shape);
  const int64_t most = std::max(shape.size(), std::max(modes, tokens));
  T* zeros = tape.Floats(shape.size());  // stands for a gradient that did not arrive
  T* sink = tape.Floats(most);           // takes gradients nobody wants
  if (tape.Live()) {
    Discretize(View(tape, p, dt, tokens, modes), tape.value(u), tape.out(a), tape.out(b));
    std::fill_n(zeros, shape.size(), T{0});
    std::fill_n(sink, most, T{0});
  }
  const auto backward = [=](Tape<T>& t) {
    const auto given = [&](Var<T> var) { return t.grad(var) == nullptr ? zeros : t.grad(var); };
    const auto wanted = [&](Var<T> var) { return t.acc(var) == nullptr ? sink : t.acc(var); };
    DiscretizeBackward(
        View(t, p, dt, tokens, modes), t.value(u), given(a), given(b),
        {wanted(p.log_dt), wanted(p.log_a_real), wanted(p.a_imag), wanted(dt), wanted(u)});
  };
  tape.Record("irregular_modes", {u, dt, p.log_dt, p.log_a_real, p.a_imag}, {a, b},
              kFlops * static_cast<double>(tokens * modes), backward);
  return {a, b};
}

template IrregularModeOutputs<float> IrregularModes(Tape<float>&, Var<float>, Var<float>,
                                                    const DiagonalParameters<float>&);
template IrregularModeOutputs<double> IrregularModes(Tape<double>&, Var<double>, Var<double>,
                                                     const DiagonalParameters<double>&);

}  // namespace ssm
