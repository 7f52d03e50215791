#include "ssm/kernels/cauchy_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ssm/kernels/cauchy_sums-inl.h"
#include "ssm/kernels/fft.h"

namespace ssm::kernels {
namespace {

using Complex = ComplexPair<double>;

int64_t Half(int64_t length) { return CauchyPoints(length) / 2 + 1; }

/// The scratch of a call.
struct Scratch {
  ComplexRow z, q;    // [n / 2 + 1]
  ComplexRow g;       // of K^, the same
  double* radius;     // [length] r^-k
  double* spectrum;   // [n, 2]
  double* sequence;   // [n, 2]
  CauchyMode* modes;  // [modes]
  CauchyMode* into;   // [modes]
};

/// Lays the scratch out from `base`; returns how many elements of T it takes.
template <class T>
int64_t Layout(const DplrSystem<T>& system, int64_t length, T* base, Scratch* s) {
  const int64_t points = CauchyPoints(length), half = Half(length);
  int64_t used = 0;
  const auto doubles = [&](int64_t n) {
    T* at = base == nullptr ? nullptr : base + used;
    used += (n + 15) / 16 * 16 * static_cast<int64_t>(sizeof(double) / sizeof(T));
    return reinterpret_cast<double*>(at);
  };
  const auto row = [&] {
    double* re = doubles(half);
    return ComplexRow{re, doubles(half)};
  };
  const int64_t numbers = static_cast<int64_t>(sizeof(CauchyMode) / sizeof(double));
  const auto modes = [&] { return reinterpret_cast<CauchyMode*>(doubles(system.modes * numbers)); };
  s->z = row();
  s->q = row();
  s->g = row();
  s->radius = doubles(length);
  s->spectrum = doubles(2 * points);
  s->sequence = doubles(2 * points);
  s->modes = modes();
  s->into = modes();
  return used;
}

template <class T>
Complex At(const T* array, int64_t i) {
  return {static_cast<double>(array[2 * i]), static_cast<double>(array[2 * i + 1])};
}

template <class T>
void AddAt(T* array, int64_t i, Complex z) {
  if (array == nullptr) return;
  array[2 * i] += static_cast<T>(z.re);
  array[2 * i + 1] += static_cast<T>(z.im);
}

/// All channels at one length.
template <class T>
class GeneratingCircle {
 public:
  GeneratingCircle(const DplrSystem<T>& system, int64_t length, T* scratch)
      : system_(system),
        length_(length),
        points_(CauchyPoints(length)),
        half_(Half(length)),
        fft_(Fft<double>::OfLength(points_)) {
    Layout(system, length, scratch, &s_);
    const double log_r =
        std::log(std::numeric_limits<double>::epsilon()) / static_cast<double>(points_ + length);
    const double r = std::exp(log_r), gap = -std::expm1(log_r);
    for (int64_t j = 0; j < half_; ++j) {
      const double turn = std::numbers::pi * static_cast<double>(j) / static_cast<double>(points_);
      const double sine = std::sin(turn), cosine = std::cos(turn);  // of half the angle
      const double im = 2 * r * sine * cosine;
      s_.q.Set(j, {gap + 2 * r * sine * sine, im});
      s_.z.Set(j, {r * (cosine - sine) * (cosine + sine), -im});
    }
    for (int64_t k = 0; k < length; ++k) {
      s_.radius[k] = std::exp(-log_r * static_cast<double>(k));
    }
  }

  void Forward(int64_t channel, T* kernel) {
    ReadModes(channel);
    CauchySums sums;
    ComplexBlock value;
    for (int64_t begin = 0; begin < half_; begin += kCauchyBlock) {
      const CauchyPointsView block = Block(begin);
      Sum(block, sums);
      GeneratingFunction(block, sums, value);
      for (int64_t j = 0; j < block.count; ++j) PutSpectrum(begin + j, value.Get(j));
    }
    fft_.Inverse(s_.spectrum, s_.sequence);
    const double scale = 1 / static_cast<double>(points_);
    for (int64_t k = 0; k < length_; ++k) {
      kernel[k] = static_cast<T>(scale * s_.radius[k] * s_.sequence[2 * k]);
    }
    if (system_.skip != nullptr) kernel[0] += system_.skip[channel];
  }

  void Backward(int64_t channel, const T* g_kernel, const DplrGradients<T>& into) {
    if (into.skip != nullptr) into.skip[channel] += g_kernel[0];
    ReadModes(channel);
    TransformGradient(g_kernel);
    std::fill_n(s_.into, system_.modes, CauchyMode{});
    CauchySums sums;
    CauchyFactors w;
    for (int64_t begin = 0; begin < half_; begin += kCauchyBlock) {
      const CauchyPointsView block = Block(begin);
      Sum(block, sums);
      GeneratingFunctionBackward(block, s_.g.From(begin), sums);
      for (int64_t n = 0; n < system_.modes; ++n) {
        w.Compute(block, s_.modes[n]);
        AddModeGradient(block, s_.modes[n], w, sums, s_.into[n]);
      }
    }
    for (int64_t n = 0; n < system_.modes; ++n) {
      AddGradients(channel * system_.modes + n, s_.into[n], into);
    }
  }

 private:
  CauchyPointsView Block(int64_t begin) const {
    return {s_.z.From(begin), s_.q.From(begin), std::min(kCauchyBlock, half_ - begin)};
  }

  void ReadModes(int64_t channel) {
    for (int64_t n = 0; n < system_.modes; ++n) {
      const int64_t i = channel * system_.modes + n;
      const Complex c = At(system_.c, i), b = At(system_.b, i);
      const Complex f = At(system_.f, i), v = At(system_.v, i);
      const Complex products[kCauchySums] = {c * b, c * v, f * b, f * v};
      const Complex e = At(system_.a_minus_1, i);
      CauchyMode& mode = s_.modes[n];
      mode.e_re = e.re;
      mode.e_im = e.im;
      for (int k = 0; k < kCauchySums; ++k) {
        mode.p[k] = 2 * products[k].re;
        mode.s[k] = 2 * products[k].im;
      }
    }
  }

  void Sum(const CauchyPointsView& block, CauchySums& sums) const {
    CauchyFactors w;
    sums.Clear(block.count);
    for (int64_t n = 0; n < system_.modes; ++n) {
      w.Compute(block, s_.modes[n]);
      sums.Add(block.count, s_.modes[n], w);
    }
  }

  /// K is real, so the other half of the spectrum is the conjugate.
  void PutSpectrum(int64_t j, Complex value) {
    s_.spectrum[2 * j] = value.re;
    s_.spectrum[2 * j + 1] = value.im;
    if (j == 0 || j == points_ / 2) return;
    s_.spectrum[2 * (points_ - j)] = value.re;
    s_.spectrum[2 * (points_ - j) + 1] = -value.im;
  }

  /// dL/dK^ in s_.g: each point but the real ones stands for two.
  void TransformGradient(const T* g_kernel) {
    std::fill_n(s_.sequence, 2 * points_, 0.0);
    for (int64_t k = 0; k < length_; ++k) {
      s_.sequence[2 * k] = static_cast<double>(g_kernel[k]) * s_.radius[k];
    }
    fft_.Forward(s_.sequence, s_.spectrum);
    for (int64_t j = 0; j < half_; ++j) {
      const double weight = (j == 0 || j == points_ / 2 ? 1 : 2) / static_cast<double>(points_);
      s_.g.Set(j, {weight * s_.spectrum[2 * j], weight * s_.spectrum[2 * j + 1]});
    }
  }

  void AddGradients(int64_t i, const CauchyMode& g, const DplrGradients<T>& into) const {
    const Complex c = At(system_.c, i), b = At(system_.b, i);
    const Complex f = At(system_.f, i), v = At(system_.v, i);
    const auto product = [&](int k) { return Complex{2 * g.p[k], 2 * g.s[k]}; };
    AddAt(into.a_minus_1, i, {g.e_re, g.e_im});
    AddAt(into.c, i, Conj(b) * product(kSumCB) + Conj(v) * product(kSumCV));
    AddAt(into.b, i, Conj(c) * product(kSumCB) + Conj(f) * product(kSumFB));
    AddAt(into.v, i, Conj(c) * product(kSumCV) + Conj(f) * product(kSumFV));
    AddAt(into.f, i, Conj(b) * product(kSumFB) + Conj(v) * product(kSumFV));
  }

  DplrSystem<T> system_;
  int64_t length_, points_, half_;
  const Fft<double>& fft_;
  Scratch s_;
};

}  // namespace

int64_t CauchyPoints(int64_t length) { return 2 * GoodFftLength(2 * length); }

template <class T>
int64_t CauchyKernelScratch(const DplrSystem<T>& system, int64_t length) {
  Scratch unused;
  return Layout<T>(system, length, nullptr, &unused);
}

template <class T>
void CauchyKernel(const DplrSystem<T>& system, int64_t length, T* kernel, T* scratch) {
  if (length == 0) return;
  GeneratingCircle<T> circle(system, length, scratch);
  for (int64_t d = 0; d < system.channels; ++d) circle.Forward(d, kernel + d * length);
}

template <class T>
void CauchyKernelBackward(const DplrSystem<T>& system, int64_t length, const T* g_kernel,
                          const DplrGradients<T>& gradients, T* scratch) {
  if (length == 0) return;
  GeneratingCircle<T> circle(system, length, scratch);
  for (int64_t d = 0; d < system.channels; ++d) {
    circle.Backward(d, g_kernel + d * length, gradients);
  }
}

#define SSM_INSTANTIATE(T)                                                    \
  template int64_t CauchyKernelScratch(const DplrSystem<T>&, int64_t);        \
  template void CauchyKernel(const DplrSystem<T>&, int64_t, T*, T*);          \
  template void CauchyKernelBackward(const DplrSystem<T>&, int64_t, const T*, \
                                     const DplrGradients<T>&, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
