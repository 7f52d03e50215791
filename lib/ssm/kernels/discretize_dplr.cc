#include "ssm/kernels/discretize_dplr.h"

#include <cmath>

#include "ssm/kernels/complex_pair.h"

namespace ssm::kernels {
namespace {

using Complex = ComplexPair<double>;

template <class T>
Complex At(const T* array, int64_t i) {
  return {static_cast<double>(array[2 * i]), static_cast<double>(array[2 * i + 1])};
}

template <class T>
void Put(T* array, int64_t i, Complex z) {
  array[2 * i] = static_cast<T>(z.re);
  array[2 * i + 1] = static_cast<T>(z.im);
}

template <class T>
void AddAt(T* array, int64_t i, Complex z) {
  array[2 * i] += static_cast<T>(z.re);
  array[2 * i + 1] += static_cast<T>(z.im);
}

double Square(Complex z) { return z.re * z.re + z.im * z.im; }

/// Re(conj(x) y): how much y there is along x.
double Along(Complex x, Complex y) { return x.re * y.re + x.im * y.im; }

/// One channel, mode by mode.
template <class T>
class Channel {
 public:
  Channel(const DplrParameterView<T>& view, int64_t channel)
      : view_(view),
        begin_(channel * view.modes),
        h_(0.5 * view.dt_scale * std::exp(static_cast<double>(view.log_dt[channel]))) {
    double sum = 0;
    for (int64_t i = begin(); i < end(); ++i) sum += Square(P(i)) * D(i).re;
    gamma_ = 1 + 2 * h_ * sum;
    for (int64_t i = begin(); i < end(); ++i) phi_b_ += 2 * (F(i) * B(i)).re;
  }

  int64_t begin() const { return begin_; }
  int64_t end() const { return begin_ + view_.modes; }
  double h() const { return h_; }
  double gamma() const { return gamma_; }
  double phi_b() const { return phi_b_; }
  Complex Lambda(int64_t i) const {
    return {-std::exp(static_cast<double>(view_.log_a_real[i])),
            static_cast<double>(view_.a_imag[i])};
  }
  Complex P(int64_t i) const { return At(view_.p, i); }
  Complex B(int64_t i) const { return At(view_.b, i); }
  Complex D(int64_t i) const { return Inverse(Complex{1, 0} - h_ * Lambda(i)); }
  Complex F(int64_t i) const { return (2 * h_ / gamma_) * (Conj(P(i)) * D(i)); }

 private:
  const DplrParameterView<T>& view_;
  int64_t begin_;
  double h_;
  double gamma_ = 1;
  double phi_b_ = 0;
};

/// The gradients of one channel's steps, carried back to its parameters.
template <class T>
class ChannelBackward {
 public:
  ChannelBackward(const Channel<T>& channel, const DplrSteps<const T>& g,
                  const DplrParameterGradients<T>& into)
      : channel_(channel), g_(g), into_(into) {}

  /// Returns dL/dh.
  double Run() {
    const double h = channel_.h(), gamma = channel_.gamma();
    for (int64_t i = channel_.begin(); i < channel_.end(); ++i) {
      g_phi_b_ -= h * Along(channel_.D(i) * channel_.P(i), At(g_.b, i));
    }
    double g_scale = 0;  // of 2 h / gamma, the factor in f
    for (int64_t i = channel_.begin(); i < channel_.end(); ++i) {
      g_scale += Along(Conj(channel_.P(i)) * channel_.D(i), GradientOfF(i));
    }
    g_gamma_ = -2 * h / (gamma * gamma) * g_scale;
    g_h_ = 2 / gamma * g_scale;
    for (int64_t i = channel_.begin(); i < channel_.end(); ++i) Mode(i);
    return g_h_;
  }

 private:
  Complex GradientOfF(int64_t i) const {
    return At(g_.f, i) + (2 * g_phi_b_) * Conj(channel_.B(i));
  }

  void Mode(int64_t i) {
    const double h = channel_.h(), scale = 2 * h / channel_.gamma(), phi_b = channel_.phi_b();
    const Complex lambda = channel_.Lambda(i), p = channel_.P(i), b = channel_.B(i);
    const Complex d = channel_.D(i), v = d * p;
    const Complex ga = At(g_.a_minus_1, i), gb = At(g_.b, i), gf = GradientOfF(i);
    const Complex gv = At(g_.v, i) - (h * phi_b) * gb;
    AddAt(into_.b, i, (2 * h) * (Conj(d) * gb) + (2 * g_phi_b_) * Conj(channel_.F(i)));
    AddAt(into_.p, i, scale * (d * Conj(gf)) + Conj(d) * gv + (4 * h * g_gamma_ * d.re) * p);
    const Complex gd = (2 * h) * (Conj(b) * gb) + scale * (p * gf) + Conj(p) * gv +
                       (2 * h) * (Conj(lambda) * ga) + Complex{2 * h * g_gamma_ * Square(p), 0};
    g_h_ += Along(2.0 * (d * b) - phi_b * v, gb) + 2 * Square(p) * d.re * g_gamma_ +
            Along(2.0 * (lambda * d), ga) + Along(d * d * lambda, gd);
    const Complex g_lambda = (2 * h) * (Conj(d) * ga) + h * (Conj(d * d) * gd);
    into_.log_a_real[i] += static_cast<T>(lambda.re * g_lambda.re);
    into_.a_imag[i] += static_cast<T>(g_lambda.im);
  }

  const Channel<T>& channel_;
  const DplrSteps<const T>& g_;
  const DplrParameterGradients<T>& into_;
  double g_phi_b_ = 0, g_gamma_ = 0, g_h_ = 0;
};

}  // namespace

template <class T>
void DiscretizeDplr(const DplrParameterView<T>& parameters, const DplrSteps<T>& steps) {
  for (int64_t k = 0; k < parameters.channels; ++k) {
    const Channel<T> channel(parameters, k);
    const double h = channel.h();
    for (int64_t i = channel.begin(); i < channel.end(); ++i) {
      const Complex d = channel.D(i), v = d * channel.P(i);
      Put(steps.a_minus_1, i, (2 * h) * (channel.Lambda(i) * d));
      Put(steps.v, i, v);
      Put(steps.f, i, channel.F(i));
      Put(steps.b, i, (2 * h) * (d * channel.B(i)) - (h * channel.phi_b()) * v);
    }
  }
}

template <class T>
void DiscretizeDplrBackward(const DplrParameterView<T>& parameters,
                            const DplrSteps<const T>& gradients,
                            const DplrParameterGradients<T>& into) {
  for (int64_t k = 0; k < parameters.channels; ++k) {
    const Channel<T> channel(parameters, k);
    const double g_h = ChannelBackward<T>(channel, gradients, into).Run();
    into.log_dt[k] += static_cast<T>(channel.h() * g_h);
  }
}

#define SSM_INSTANTIATE(T)                                                                     \
  template void DiscretizeDplr(const DplrParameterView<T>&, const DplrSteps<T>&);              \
  template void DiscretizeDplrBackward(const DplrParameterView<T>&, const DplrSteps<const T>&, \
                                       const DplrParameterGradients<T>&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
