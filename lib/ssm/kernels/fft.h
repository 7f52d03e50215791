// Complex Fourier transforms, planned once for each length and shared by all threads.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// The least n >= least whose only prime factors are 2, 3 and 5; at least 8.
int64_t GoodFftLength(int64_t least);

/// X_k = sum_t x_t e^{-2 pi i k t / n}, and its unnormalised inverse (n x). Numbers are interleaved
/// (re, im). Plans are made by FFTW's estimate, never by timing, so the same n gives the same bits.
template <class T>
class Fft {
 public:
  /// The transform of length n, n >= 1, planned on first use; it lives as long as the process. Any
  /// thread may call this.
  static const Fft& OfLength(int64_t n);

  /// [n] complex numbers each, not overlapping, 64-byte aligned. Any number of threads may run the
  /// same transform. About 5 n log2 n FLOPs.
  void Forward(const T* from, T* to) const;
  void Inverse(const T* from, T* to) const;

  Fft(const Fft&) = delete;
  Fft& operator=(const Fft&) = delete;
  ~Fft();

 private:
  explicit Fft(int64_t n);
  void* forward_;
  void* inverse_;
};

}  // namespace ssm::kernels
