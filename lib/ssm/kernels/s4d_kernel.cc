#include "ssm/kernels/s4d_kernel.h"

#include <algorithm>

#include "ssm/kernels/complex_pair.h"
#include "ssm/kernels/gemm.h"

namespace ssm::kernels {
namespace {

using Complex = ComplexPair<double>;

constexpr int64_t kFine = 64;  // A_bar^k = (A_bar^64)^j A_bar^i: i < 64
constexpr int kDoublings = 6;  // 2^6 = 64

int64_t CoarseSteps(int64_t length) { return (length + kFine - 1) / kFine; }

/// One complex number for each mode, real and imaginary parts apart so that loops over modes are
/// vectors.
struct ModeNumbers {
  double* re;
  double* im;
  Complex Get(int64_t n) const { return {re[n], im[n]}; }
  void Set(int64_t n, Complex z) const {
    re[n] = z.re;
    im[n] = z.im;
  }
};

/// The scratch of one channel. Tables have P modes columns: real parts, then imaginary parts.
template <class T>
struct ChannelScratch {
  ModeNumbers step;         // A_bar - 1
  ModeNumbers coarse_step;  // A_bar^64 - 1
  ModeNumbers before;       // A_bar^63 - 1
  ModeNumbers weight;       // s C B_bar
  ModeNumbers power;        // running
  ModeNumbers sum, slope;   // of Horner's rule
  T* coarse;                // [J, columns]: (Re, -Im) of weight A_bar^{64 j}
  T* fine;                  // [64, columns]: (Re, Im) of A_bar^i
  T *g_coarse, *g_fine;
  T* taps;  // [J, 64]
};

/// Lays the scratch out from `base`; returns how many elements of T it takes.
template <class T>
int64_t Layout(const DiagonalSystem<T>& system, int64_t length, T* base, ChannelScratch<T>* s) {
  const int64_t columns = system.modes * system.parts();
  const int64_t coarse = CoarseSteps(length);
  int64_t used = 0;
  const auto take = [&](int64_t n) {
    T* at = base == nullptr ? nullptr : base + used;
    used += (n + 15) / 16 * 16;
    return at;
  };
  const auto numbers = [&] {
    const int64_t n = system.modes * static_cast<int64_t>(sizeof(double) / sizeof(T));
    double* re = reinterpret_cast<double*>(take(n));
    return ModeNumbers{re, reinterpret_cast<double*>(take(n))};
  };
  *s = {numbers(),
        numbers(),
        numbers(),
        numbers(),
        numbers(),
        numbers(),
        numbers(),
        take(coarse * columns),
        take(kFine * columns),
        take(coarse * columns),
        take(kFine * columns),
        take(coarse * kFine)};
  return used;
}

/// b = (1 + a)(1 + b) - 1 for every mode.
void Compound(int64_t modes, ModeNumbers a, ModeNumbers b) {
#pragma omp simd
  for (int64_t n = 0; n < modes; ++n) b.Set(n, CompoundMinus1(a.Get(n), b.Get(n)));
}

/// One step of Horner's rule in conj(w), w = 1 + step: slope = conj(w) slope + sum, sum = conj(w)
/// sum
/// + (re + i sign im).
template <class T>
void HornerStep(int64_t modes, ModeNumbers step, const T* re, const T* im, double sign,
                ModeNumbers sum, ModeNumbers slope) {
#pragma omp simd
  for (int64_t n = 0; n < modes; ++n) {
    const Complex w{1 + step.re[n], -step.im[n]};
    const Complex g{static_cast<double>(re[n]), sign * static_cast<double>(im[n])};
    const Complex old = sum.Get(n);
    slope.Set(n, w * slope.Get(n) + old);
    sum.Set(n, w * old + g);
  }
}

template <class T>
class ChannelKernel {
 public:
  ChannelKernel(const DiagonalSystem<T>& system, int64_t length, T* scratch)
      : system_(system),
        length_(length),
        coarse_(CoarseSteps(length)),
        columns_(system.modes * system.parts()) {
    Layout(system, length, scratch, &s_);
  }

  void Forward(int64_t d, T* kernel) {
    FillTables(d);
    const bool ragged = length_ % kFine != 0;
    T* taps = ragged ? s_.taps : kernel;
    GemmTransposedB(coarse_, kFine, columns_, s_.coarse, s_.fine, taps, Write::kAssign);
    if (ragged) std::copy_n(taps, length_, kernel);
    if (system_.skip != nullptr && length_ > 0) kernel[0] += system_.skip[d];
  }

  void Backward(int64_t d, const T* g_kernel, const ScanGradients<T>& g) {
    FillTables(d);
    std::fill(std::copy_n(g_kernel, length_, s_.taps), s_.taps + coarse_ * kFine, T{0});
    Gemm(coarse_, columns_, kFine, s_.taps, s_.fine, s_.g_coarse, Write::kAssign);
    GemmTransposedA(kFine, columns_, coarse_, s_.taps, s_.coarse, s_.g_fine, Write::kAssign);
    if (g.skip != nullptr && length_ > 0) g.skip[d] += g_kernel[0];
    AddGradients(d, g);
  }

 private:
  Complex Read(const T* array, int64_t i) const {
    if (!system_.complex) return {static_cast<double>(array[i]), 0};
    return {static_cast<double>(array[2 * i]), static_cast<double>(array[2 * i + 1])};
  }
  void Add(T* array, int64_t i, Complex z) const {
    if (array == nullptr) return;
    array[i * system_.parts()] += static_cast<T>(z.re);
    if (system_.complex) array[2 * i + 1] += static_cast<T>(z.im);
  }
  double scale() const { return system_.complex ? 2 : 1; }

  void FillTables(int64_t d) {
    const int64_t modes = system_.modes;
    for (int64_t n = 0; n < modes; ++n) {
      const int64_t i = d * modes + n;
      const Complex step = Read(system_.a_minus_1, i);
      s_.step.Set(n, step);
      s_.coarse_step.Set(n, step);
      s_.before.Set(n, {});
      s_.weight.Set(n, scale() * (Read(system_.c, i) * Read(system_.b_bar, i)));
    }
    for (int k = 0; k < kDoublings; ++k) {
      Compound(modes, s_.coarse_step, s_.before);
      Compound(modes, s_.coarse_step, s_.coarse_step);
    }
    FillFine();
    FillCoarse();
  }

  void FillFine() {
    const int64_t modes = system_.modes;
    for (int64_t n = 0; n < modes; ++n) s_.power.Set(n, {});
    for (int64_t i = 0; i < kFine; ++i) {
      T* row = s_.fine + i * columns_;
#pragma omp simd
      for (int64_t n = 0; n < modes; ++n) row[n] = static_cast<T>(1 + s_.power.re[n]);
      if (system_.complex) {
        for (int64_t n = 0; n < modes; ++n) row[modes + n] = static_cast<T>(s_.power.im[n]);
      }
      Compound(modes, s_.step, s_.power);
    }
  }

  void FillCoarse() {
    const int64_t modes = system_.modes;
    for (int64_t n = 0; n < modes; ++n) s_.power.Set(n, s_.weight.Get(n));
    for (int64_t j = 0; j < coarse_; ++j) {
      T* row = s_.coarse + j * columns_;
      for (int64_t n = 0; n < modes; ++n) row[n] = static_cast<T>(s_.power.re[n]);
      if (system_.complex) {
        for (int64_t n = 0; n < modes; ++n) row[modes + n] = static_cast<T>(-s_.power.im[n]);
      }
#pragma omp simd
      for (int64_t n = 0; n < modes; ++n) {
        const Complex power = s_.power.Get(n);
        s_.power.Set(n, power + s_.coarse_step.Get(n) * power);
      }
    }
  }

  /// sum = sum_k conj(w)^k g_k and slope = sum_k k conj(w)^{k-1} g_k over a table's rows, w = 1 +
  /// `step`, by Horner's rule. `sign` is that of the imaginary column.
  void Horner(const T* table, int64_t rows, double sign, ModeNumbers step) {
    const int64_t modes = system_.modes;
    for (int64_t n = 0; n < modes; ++n) {
      s_.sum.Set(n, {});
      s_.slope.Set(n, {});
    }
    for (int64_t k = rows - 1; k >= 0; --k) {
      const T* row = table + k * columns_;
      // Real modes have no imaginary column: any other, times zero, stands for it.
      HornerStep(modes, step, row, system_.complex ? row + modes : row, system_.complex ? sign : 0,
                 s_.sum, s_.slope);
    }
  }

  void AddGradients(int64_t d, const ScanGradients<T>& g) {
    const int64_t modes = system_.modes;
    Horner(s_.g_coarse, coarse_, -1, s_.coarse_step);
    for (int64_t n = 0; n < modes; ++n) {
      const int64_t i = d * modes + n;
      const Complex g_weight = scale() * s_.sum.Get(n);
      Add(g.b_bar, i, Conj(Read(system_.c, i)) * g_weight);
      Add(g.c, i, Conj(Read(system_.b_bar, i)) * g_weight);
      const Complex g_coarse = Conj(s_.weight.Get(n)) * s_.slope.Get(n);
      const Complex before{1 + s_.before.re[n], s_.before.im[n]};
      s_.power.Set(n, static_cast<double>(kFine) * (Conj(before) * g_coarse));
    }
    Horner(s_.g_fine, kFine, 1, s_.step);
    for (int64_t n = 0; n < modes; ++n) {
      Add(g.a_minus_1, d * modes + n, s_.power.Get(n) + s_.slope.Get(n));
    }
  }

  const DiagonalSystem<T>& system_;
  int64_t length_;
  int64_t coarse_;
  int64_t columns_;
  ChannelScratch<T> s_;
};

}  // namespace

template <class T>
int64_t S4dKernelScratch(const DiagonalSystem<T>& system, int64_t length) {
  ChannelScratch<T> scratch;
  return Layout<T>(system, length, nullptr, &scratch);
}

template <class T>
void S4dKernel(const DiagonalSystem<T>& system, int64_t length, T* kernel, T* scratch) {
  ChannelKernel<T> channel(system, length, scratch);
  for (int64_t d = 0; d < system.channels; ++d) channel.Forward(d, kernel + d * length);
}

template <class T>
void S4dKernelBackward(const DiagonalSystem<T>& system, int64_t length, const T* g_kernel,
                       const ScanGradients<T>& gradients, T* scratch) {
  ChannelKernel<T> channel(system, length, scratch);
  for (int64_t d = 0; d < system.channels; ++d) {
    channel.Backward(d, g_kernel + d * length, gradients);
  }
}

#define SSM_INSTANTIATE(T)                                                     \
  template int64_t S4dKernelScratch(const DiagonalSystem<T>&, int64_t);        \
  template void S4dKernel(const DiagonalSystem<T>&, int64_t, T*, T*);          \
  template void S4dKernelBackward(const DiagonalSystem<T>&, int64_t, const T*, \
                                  const ScanGradients<T>&, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
