#include "ssm/kernels/causal_conv.h"

#include <algorithm>
#include <array>

#include "ssm/base/errors.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

/// Where the inputs of one token lie, newest first.
template <class P>
struct Window {
  std::array<P*, kMaxTaps> at{};
  int64_t taps = 0;  // that see a token
};

/// Walks over tokens and finds their inputs in arrays of x's and ring's layout.
class Walk {
 public:
  explicit Walk(const CausalConvShape& shape) : shape_(shape) {}

  /// Calls visit(token) for all that are not padding.
  template <class Visit>
  void ForEachToken(Visit visit) const {
    for (int64_t token = 0; token < shape_.rows * shape_.steps; ++token) {
      if (shape_.pos[token] >= 0) visit(token);
    }
  }
  /// Null arrays give null pointers.
  template <class P>
  Window<P> At(int64_t token, P* x, P* ring) const {
    const int64_t row = token / shape_.steps, step = token % shape_.steps;
    const int64_t pos = shape_.pos[token], entries = shape_.taps - 1;
    Window<P> window;
    window.taps = std::min(shape_.taps, pos + 1);
    for (int64_t k = 0; k < window.taps; ++k) {
      P* at = nullptr;
      if (k <= step && x != nullptr) at = x + (token - k) * shape_.stride + shape_.first;
      if (k > step && ring != nullptr) {
        at = ring + (row * entries + (pos - k) % entries) * shape_.channels;
      }
      window.at[static_cast<size_t>(k)] = at;
    }
    return window;
  }

 private:
  const CausalConvShape& shape_;
};

template <class T, int kTaps>
void ConvToken(int64_t n, const Window<const T>& x, const T* packed, const T* bias, T* y) {
  const auto in = x.at;
#pragma omp simd
  for (int64_t e = 0; e < n; ++e) {
    T sum = bias == nullptr ? T{0} : bias[e];
    for (int k = 0; k < kTaps; ++k) sum += packed[k * n + e] * in[static_cast<size_t>(k)][e];
    y[e] = sum;
  }
}

template <class T, int kTaps>
void WeightToken(int64_t n, const Window<const T>& x, const T* gy, T* g_packed) {
  const auto in = x.at;
#pragma omp simd
  for (int64_t e = 0; e < n; ++e) {
    for (int k = 0; k < kTaps; ++k) g_packed[k * n + e] += gy[e] * in[static_cast<size_t>(k)][e];
  }
}

/// Calls run.operator()<taps>().
template <class Run>
void DispatchTaps(int64_t taps, Run run) {
  switch (taps) {
    case 1:
      return run.template operator()<1>();
    case 2:
      return run.template operator()<2>();
    case 3:
      return run.template operator()<3>();
    case 4:
      return run.template operator()<4>();
    case 5:
      return run.template operator()<5>();
    case 6:
      return run.template operator()<6>();
    case 7:
      return run.template operator()<7>();
    case 8:
      return run.template operator()<8>();
    default:
      SSM_CHECK(false, "a causal convolution has 1 to 8 taps");
  }
}

template <class T>
void ConvWindow(int64_t n, const Window<const T>& x, const T* packed, const T* bias, T* y) {
  DispatchTaps(x.taps, [&]<int kTaps>() { ConvToken<T, kTaps>(n, x, packed, bias, y); });
}

template <class T>
void AddToWindow(int64_t n, const Window<T>& gx, const T* packed, const T* gy) {
  for (int64_t k = 0; k < gx.taps; ++k) {
    T* to = gx.at[static_cast<size_t>(k)];
    const T* weight = packed + k * n;
    if (to == nullptr) continue;
#pragma omp simd
    for (int64_t e = 0; e < n; ++e) to[e] += weight[e] * gy[e];
  }
}

}  // namespace

template <class T>
void PackTaps(int64_t channels, int64_t taps, const T* weight, T* to) {
  for (int64_t k = 0; k < taps; ++k) {
    for (int64_t e = 0; e < channels; ++e) to[k * channels + e] = weight[(e + 1) * taps - 1 - k];
  }
}

template <class T>
void AddUnpackedTaps(int64_t channels, int64_t taps, const T* packed, T* weight) {
  for (int64_t k = 0; k < taps; ++k) {
    for (int64_t e = 0; e < channels; ++e)
      weight[(e + 1) * taps - 1 - k] += packed[k * channels + e];
  }
}

template <class T>
void CausalConv(const CausalConvShape& shape, const T* x, const T* ring, const T* packed,
                const T* bias, T* y) {
  const Walk walk(shape);
  const int64_t n = shape.channels;
  for (int64_t token = 0; token < shape.rows * shape.steps; ++token) {
    if (shape.pos[token] < 0) std::fill_n(y + token * n, n, T{0});
  }
  walk.ForEachToken(
      [&](int64_t token) { ConvWindow(n, walk.At(token, x, ring), packed, bias, y + token * n); });
}

template <class T>
void CausalConvBackward(const CausalConvShape& shape, const T* x, const T* ring, const T* packed,
                        const T* gy, const CausalConvGradients<T>& gradients) {
  const Walk walk(shape);
  const int64_t n = shape.channels;
  walk.ForEachToken([&](int64_t token) {
    const T* g = gy + token * n;
    AddToWindow(n, walk.At(token, gradients.x, gradients.ring), packed, g);
    if (gradients.packed == nullptr) return;
    const Window<const T> window = walk.At(token, x, ring);
    DispatchTaps(window.taps,
                 [&]<int kTaps>() { WeightToken<T, kTaps>(n, window, g, gradients.packed); });
  });
}

template <class T>
void CausalConvBiasBackward(const CausalConvShape& shape, const T* gy, T* gbias) {
  const int64_t n = shape.channels;
  Walk(shape).ForEachToken([&](int64_t token) { Axpy(n, T{1}, gy + token * n, gbias); });
}

template <class T>
void CausalConvStep(int64_t channels, int64_t taps, int64_t pos, const T* x, const T* packed,
                    const T* bias, T* ring, T* y) {
  const int64_t entries = taps - 1;
  if (pos == 0) std::fill_n(ring, entries * channels, T{0});
  Window<const T> window;
  window.taps = std::min(taps, pos + 1);
  window.at[0] = x;
  for (int64_t k = 1; k < window.taps; ++k) {
    window.at[static_cast<size_t>(k)] = ring + (pos - k) % entries * channels;
  }
  ConvWindow(channels, window, packed, bias, y);
  if (entries > 0) std::copy_n(x, channels, ring + pos % entries * channels);
}

#define SSM_INSTANTIATE(T)                                                                         \
  template void PackTaps(int64_t, int64_t, const T*, T*);                                          \
  template void AddUnpackedTaps(int64_t, int64_t, const T*, T*);                                   \
  template void CausalConv(const CausalConvShape&, const T*, const T*, const T*, const T*, T*);    \
  template void CausalConvBackward(const CausalConvShape&, const T*, const T*, const T*, const T*, \
                                   const CausalConvGradients<T>&);                                 \
  template void CausalConvBiasBackward(const CausalConvShape&, const T*, T*);                      \
  template void CausalConvStep(int64_t, int64_t, int64_t, const T*, const T*, const T*, T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
