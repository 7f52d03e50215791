#include "ssm/kernels/fft_conv.h"

#include "ssm/kernels/complex_patch-inl.h"
#include "ssm/kernels/fft.h"
#include "ssm/kernels/lanes-inl.h"

namespace ssm::kernels {
namespace {

/// Elements between the sequences of two channels: complex, aligned, and off any power of two, so
/// that the channels of a block do not fall on the same cache lines.
int64_t SequenceStride(int64_t n) { return 2 * ((n + 7) / 8 * 8 + 8); }

/// Sums of products of spectra, interleaved: z = scale a b, with a conjugated when told so.
template <class T, bool kConj>
struct SpectrumProduct {
  using Tag = hn::ScalableTag<T>;
  using V = hn::Vec<Tag>;

  /// to [n] = (or += when kAdd) scale a b.
  template <bool kAdd>
  static void Run(int64_t n, T scale, const T* a, const T* b, T* to) {
    const Tag tag;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(tag));
    const V factor = hn::Set(tag, scale);
    int64_t k = 0;
    for (; k + lanes <= n; k += lanes) {
      V ar, ai, br, bi;
      hn::LoadInterleaved2(tag, a + 2 * k, ar, ai);
      hn::LoadInterleaved2(tag, b + 2 * k, br, bi);
      ar = hn::Mul(ar, factor);
      ai = hn::Mul(kConj ? hn::Neg(ai) : ai, factor);
      V re = hn::NegMulAdd(ai, bi, hn::Mul(ar, br));
      V im = hn::MulAdd(ai, br, hn::Mul(ar, bi));
      if constexpr (kAdd) {
        V old_re, old_im;
        hn::LoadInterleaved2(tag, to + 2 * k, old_re, old_im);
        re = hn::Add(re, old_re);
        im = hn::Add(im, old_im);
      }
      hn::StoreInterleaved2(re, im, tag, to + 2 * k);
    }
    for (; k < n; ++k) {
      const T ar = a[2 * k] * scale, ai = (kConj ? -a[2 * k + 1] : a[2 * k + 1]) * scale;
      const T re = ar * b[2 * k] - ai * b[2 * k + 1], im = ar * b[2 * k + 1] + ai * b[2 * k];
      to[2 * k] = kAdd ? to[2 * k] + re : re;
      to[2 * k + 1] = kAdd ? to[2 * k + 1] + im : im;
    }
  }
};

/// One block of up to 16 channels.
template <class T>
class BlockFftConv {
 public:
  BlockFftConv(const ConvShape<T>& shape, int64_t block, T* scratch)
      : shape_(shape),
        first_(block * kLanes),
        width_(std::min(kLanes, shape.channels - first_)),
        n_(GoodFftLength(2 * shape.steps - 1)),
        stride_(SequenceStride(n_)),
        fft_(Fft<T>::OfLength(n_)),
        pairs_(scratch),
        kernels_(pairs_ + kLanes * stride_),
        output_spectra_(kernels_ + kLanes * stride_),
        sums_(output_spectra_ + kLanes * stride_),
        work_(sums_ + kLanes * stride_) {}

  static int64_t Scratch(const ConvShape<T>& shape) {
    return (4 * kLanes + 1) * SequenceStride(GoodFftLength(2 * shape.steps - 1));
  }

  void Forward(const T* x, const T* kernel, T* y) {
    TransformKernels(kernel);
    for (int64_t row = 0; row < shape_.rows; row += 2) {
      PackPair(x, row);
      for (int64_t c = 0; c < width_; ++c) {
        fft_.Forward(Sequence(pairs_, c), work_);
        SpectrumProduct<T, false>::template Run<false>(n_, Scale(), Sequence(kernels_, c), work_,
                                                       work_);
        fft_.Inverse(work_, Sequence(pairs_, c));
      }
      UnpackPair<false>(row, y);
    }
  }

  void Backward(const T* x, const T* kernel, const T* gy, T* gx, T* g_kernel) {
    if (gx != nullptr) TransformKernels(kernel);
    if (g_kernel != nullptr) std::fill_n(sums_, kLanes * stride_, T{0});
    for (int64_t row = 0; row < shape_.rows; row += 2) {
      PackPair(gy, row);
      for (int64_t c = 0; c < width_; ++c) {
        fft_.Forward(Sequence(pairs_, c), Sequence(output_spectra_, c));
      }
      if (gx != nullptr) InputGradient(row, gx);
      if (g_kernel != nullptr) AddKernelSpectra(x, row);
    }
    if (g_kernel != nullptr) KernelGradient(g_kernel);
  }

 private:
  T Scale() const { return T{1} / static_cast<T>(n_); }
  T* Sequence(T* block, int64_t c) const { return block + c * stride_; }
  bool HasSecond(int64_t row) const { return row + 1 < shape_.rows; }
  int64_t Offset(int64_t row) const { return row * shape_.steps * shape_.channels + first_; }

  /// Spectra of the kernels' first `steps` taps, as purely real sequences.
  void TransformKernels(const T* kernel) {
    for (int64_t c = 0; c < width_; ++c) {
      const T* taps = kernel + (first_ + c) * shape_.taps;
      for (int64_t k = 0; k < shape_.steps; ++k) {
        work_[2 * k] = taps[k];
        work_[2 * k + 1] = 0;
      }
      std::fill(work_ + 2 * shape_.steps, work_ + 2 * n_, T{0});
      fft_.Forward(work_, Sequence(kernels_, c));
    }
  }

  /// Rows `row` and `row` + 1 as real and imaginary parts, zeros behind them.
  void PackPair(const T* from, int64_t row) {
    const T* re = from + Offset(row);
    const T* im = HasSecond(row) ? from + Offset(row + 1) : nullptr;
    int64_t t = 0;
    if (width_ == kLanes && im != nullptr) {
      for (; t + kPatchSteps<T> <= shape_.steps; t += kPatchSteps<T>) {
        for (int64_t c = 0; c < kLanes; c += kPatchChannels<T>) {
          const int64_t at = t * shape_.channels + c;
          PackPatch(re + at, im + at, shape_.channels, pairs_ + c * stride_ + 2 * t, stride_);
        }
      }
    }
    for (; t < shape_.steps; ++t) {
      T* to = pairs_ + 2 * t;
      for (int64_t c = 0; c < width_; ++c) {
        to[c * stride_] = re[t * shape_.channels + c];
        to[c * stride_ + 1] = im == nullptr ? T{0} : im[t * shape_.channels + c];
      }
    }
    for (int64_t c = 0; c < width_; ++c) {
      std::fill(Sequence(pairs_, c) + 2 * shape_.steps, Sequence(pairs_, c) + 2 * n_, T{0});
    }
  }

  template <bool kAdd>
  void UnpackPair(int64_t row, T* to) const {
    T* re = to + Offset(row);
    T* im = HasSecond(row) ? to + Offset(row + 1) : nullptr;
    int64_t t = 0;
    if (width_ == kLanes && im != nullptr) {
      for (; t + kPatchSteps<T> <= shape_.steps; t += kPatchSteps<T>) {
        for (int64_t c = 0; c < kLanes; c += kPatchChannels<T>) {
          const int64_t at = t * shape_.channels + c;
          UnpackPatch<kAdd>(pairs_ + c * stride_ + 2 * t, stride_, re + at, im + at,
                            shape_.channels);
        }
      }
    }
    for (; t < shape_.steps; ++t) {
      const T* from = pairs_ + 2 * t;
      for (int64_t c = 0; c < width_; ++c) {
        T& re_at = re[t * shape_.channels + c];
        re_at = from[c * stride_] + (kAdd ? re_at : T{0});
        if (im == nullptr) continue;
        T& im_at = im[t * shape_.channels + c];
        im_at = from[c * stride_ + 1] + (kAdd ? im_at : T{0});
      }
    }
  }

  /// gx[t] += sum_k K[k] gy[t + k].
  void InputGradient(int64_t row, T* gx) {
    for (int64_t c = 0; c < width_; ++c) {
      SpectrumProduct<T, true>::template Run<false>(n_, Scale(), Sequence(kernels_, c),
                                                    Sequence(output_spectra_, c), work_);
      fft_.Inverse(work_, Sequence(pairs_, c));
    }
    UnpackPair<true>(row, gx);
  }

  /// The spectrum of sum_s x[s] gy[s + k] of both rows is that of the real part of conj(z) g.
  void AddKernelSpectra(const T* x, int64_t row) {
    PackPair(x, row);
    for (int64_t c = 0; c < width_; ++c) {
      fft_.Forward(Sequence(pairs_, c), work_);
      SpectrumProduct<T, true>::template Run<true>(n_, Scale(), work_, Sequence(output_spectra_, c),
                                                   Sequence(sums_, c));
    }
  }

  void KernelGradient(T* g_kernel) {
    for (int64_t c = 0; c < width_; ++c) {
      fft_.Inverse(Sequence(sums_, c), work_);
      T* taps = g_kernel + (first_ + c) * shape_.taps;
      for (int64_t k = 0; k < shape_.steps; ++k) taps[k] += work_[2 * k];
    }
  }

  const ConvShape<T>& shape_;
  int64_t first_;
  int64_t width_;
  int64_t n_;
  int64_t stride_;
  const Fft<T>& fft_;
  T *pairs_, *kernels_, *output_spectra_, *sums_;  // [16, stride]
  T* work_;                                        // [stride]
};

}  // namespace

template <class T>
int64_t FftConvScratch(const ConvShape<T>& shape) {
  return BlockFftConv<T>::Scratch(shape);
}

template <class T>
void FftConv(const ConvShape<T>& shape, const T* x, const T* kernel, T* y, T* scratch) {
  for (int64_t block = 0; block < LaneBlocks(shape.channels); ++block) {
    BlockFftConv<T>(shape, block, scratch).Forward(x, kernel, y);
  }
}

template <class T>
void FftConvBackward(const ConvShape<T>& shape, const T* x, const T* kernel, const T* gy, T* gx,
                     T* g_kernel, T* scratch) {
  for (int64_t block = 0; block < LaneBlocks(shape.channels); ++block) {
    BlockFftConv<T>(shape, block, scratch).Backward(x, kernel, gy, gx, g_kernel);
  }
}

#define SSM_INSTANTIATE(T)                                                \
  template int64_t FftConvScratch(const ConvShape<T>&);                   \
  template void FftConv(const ConvShape<T>&, const T*, const T*, T*, T*); \
  template void FftConvBackward(const ConvShape<T>&, const T*, const T*, const T*, T*, T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
