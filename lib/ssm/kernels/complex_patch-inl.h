// Two batch rows, [steps, channels] each, to complex sequences, one for each channel, and back: in
// patches as large as four 128-bit vectors.
#pragma once

#include "ssm/kernels/lanes-inl.h"

namespace ssm::kernels {

template <class T>
inline constexpr int64_t kPatchChannels = static_cast<int64_t>(16 / sizeof(T));
template <class T>
inline constexpr int64_t kPatchSteps = static_cast<int64_t>(8 / sizeof(T));

#if HWY_TARGET == HWY_SCALAR

/// re, im: rows `stride` apart; to: channels `to_stride` apart, interleaved.
template <class T>
void PackPatch(const T* re, const T* im, int64_t stride, T* to, int64_t to_stride) {
  for (int64_t t = 0; t < kPatchSteps<T>; ++t) {
    for (int64_t c = 0; c < kPatchChannels<T>; ++c) {
      to[c * to_stride + 2 * t] = re[t * stride + c];
      to[c * to_stride + 2 * t + 1] = im[t * stride + c];
    }
  }
}

/// The inverse, assigned or added.
template <bool kAdd, class T>
void UnpackPatch(const T* from, int64_t from_stride, T* re, T* im, int64_t stride) {
  for (int64_t t = 0; t < kPatchSteps<T>; ++t) {
    for (int64_t c = 0; c < kPatchChannels<T>; ++c) {
      T &re_at = re[t * stride + c], &im_at = im[t * stride + c];
      re_at = from[c * from_stride + 2 * t] + (kAdd ? re_at : T{0});
      im_at = from[c * from_stride + 2 * t + 1] + (kAdd ? im_at : T{0});
    }
  }
}

#else

template <class T>
using PatchTag = hn::Full128<T>;

/// Pairs of complex numbers a, b as vectors: {a_0, b_0} and {a_1, b_1}.
template <class V>
HWY_INLINE void SwapComplex(V& a, V& b) {
  const hn::RepartitionToWide<hn::DFromV<V> > wide;
  const hn::DFromV<V> tag;
  const auto x = hn::BitCast(wide, a), y = hn::BitCast(wide, b);
  a = hn::BitCast(tag, hn::InterleaveLower(wide, x, y));
  b = hn::BitCast(tag, hn::InterleaveUpper(wide, x, y));
}

/// re, im: rows `stride` apart; to: channels `to_stride` apart, interleaved.
HWY_INLINE void PackPatch(const float* re, const float* im, int64_t stride, float* to,
                          int64_t to_stride) {
  const PatchTag<float> tag;
  const auto re0 = hn::LoadU(tag, re), re1 = hn::LoadU(tag, re + stride);
  const auto im0 = hn::LoadU(tag, im), im1 = hn::LoadU(tag, im + stride);
  // Channels 0 and 1, 2 and 3; at step 0, at step 1.
  auto a0 = hn::InterleaveLower(tag, re0, im0), b0 = hn::InterleaveUpper(tag, re0, im0);
  auto a1 = hn::InterleaveLower(tag, re1, im1), b1 = hn::InterleaveUpper(tag, re1, im1);
  SwapComplex(a0, a1);
  SwapComplex(b0, b1);
  hn::StoreU(a0, tag, to);
  hn::StoreU(a1, tag, to + to_stride);
  hn::StoreU(b0, tag, to + 2 * to_stride);
  hn::StoreU(b1, tag, to + 3 * to_stride);
}
HWY_INLINE void PackPatch(const double* re, const double* im, int64_t, double* to,
                          int64_t to_stride) {
  const PatchTag<double> tag;
  const auto r = hn::LoadU(tag, re), i = hn::LoadU(tag, im);
  hn::StoreU(hn::InterleaveLower(tag, r, i), tag, to);
  hn::StoreU(hn::InterleaveUpper(tag, r, i), tag, to + to_stride);
}

/// to = or += v.
template <bool kAdd, class V, class T>
HWY_INLINE void Put(V v, T* to) {
  const hn::DFromV<V> tag;
  hn::StoreU(kAdd ? hn::Add(v, hn::LoadU(tag, to)) : v, tag, to);
}

/// The inverse of PackPatch.
template <bool kAdd>
HWY_INLINE void UnpackPatch(const float* from, int64_t from_stride, float* re, float* im,
                            int64_t stride) {
  const PatchTag<float> tag;
  auto a0 = hn::LoadU(tag, from), a1 = hn::LoadU(tag, from + from_stride);
  auto b0 = hn::LoadU(tag, from + 2 * from_stride), b1 = hn::LoadU(tag, from + 3 * from_stride);
  SwapComplex(a0, a1);
  SwapComplex(b0, b1);
  Put<kAdd>(hn::ConcatEven(tag, b0, a0), re);
  Put<kAdd>(hn::ConcatEven(tag, b1, a1), re + stride);
  Put<kAdd>(hn::ConcatOdd(tag, b0, a0), im);
  Put<kAdd>(hn::ConcatOdd(tag, b1, a1), im + stride);
}
template <bool kAdd>
HWY_INLINE void UnpackPatch(const double* from, int64_t from_stride, double* re, double* im,
                            int64_t) {
  const PatchTag<double> tag;
  const auto a = hn::LoadU(tag, from), b = hn::LoadU(tag, from + from_stride);
  Put<kAdd>(hn::InterleaveLower(tag, a, b), re);
  Put<kAdd>(hn::InterleaveUpper(tag, a, b), im);
}

#endif

}  // namespace ssm::kernels
