// Short causal convolutions, one for each channel.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// Widths there is code for: 1 .. kMaxTaps.
inline constexpr int64_t kMaxTaps = 8;

/// A batch: the channels are columns first .. first + channels - 1 of x [rows, steps, stride].
struct CausalConvShape {
  int64_t rows = 0, steps = 0;
  int64_t stride = 0, first = 0;
  int64_t channels = 0, taps = 0;
  const int64_t* pos = nullptr;  // [rows, steps]: 0 starts a sequence, -1 is padding
};

/// to [taps, channels] = weight [channels, taps] turned round: row k meets the input k tokens back.
template <class T>
void PackTaps(int64_t channels, int64_t taps, const T* weight, T* to);

/// y[b, t] = bias + sum_{k <= pos} packed[k] x[b, t - k], [rows, steps, channels]; 0 at padding.
/// Inputs before the piece come from ring [rows, taps - 1, channels], where that of position p is
/// entry p mod (taps - 1). `bias` may be null. Cost 2 rows steps channels taps FLOPs.
template <class T>
void CausalConv(const CausalConvShape& shape, const T* x, const T* ring, const T* packed,
                const T* bias, T* y);

/// Gradients, added to; null: unwanted.
template <class T>
struct CausalConvGradients {
  T* x = nullptr;       // as x: only the columns are touched
  T* ring = nullptr;    // as ring
  T* packed = nullptr;  // as packed
};

/// The walk back from gy; the bias's gradient is the sum of gy's rows, padding aside.
template <class T>
void CausalConvBackward(const CausalConvShape& shape, const T* x, const T* ring, const T* packed,
                        const T* gy, const CausalConvGradients<T>& gradients);

/// gbias [channels] += the sum of gy over all tokens but padding.
template <class T>
void CausalConvBiasBackward(const CausalConvShape& shape, const T* gy, T* gbias);

/// weight's gradient [channels, taps] += packed [taps, channels] turned round.
template <class T>
void AddUnpackedTaps(int64_t channels, int64_t taps, const T* packed, T* weight);

/// One token at position `pos` of one row, to the same bits: x [channels] and y; then x takes its
/// place in ring [taps - 1, channels]. At position 0 what the ring held is forgotten.
template <class T>
void CausalConvStep(int64_t channels, int64_t taps, int64_t pos, const T* x, const T* packed,
                    const T* bias, T* ring, T* y);

}  // namespace ssm::kernels
