// RWKV-4's weighted mean of the past, kept as that mean and the logarithm of its weight.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// Arrays are [rows, steps, channels].
struct WkvShape {
  int64_t rows = 0, steps = 0, channels = 0;
  const int64_t* pos = nullptr;  // [rows, steps]: 0 starts a sequence, -1 is padding
};

/// [channels]: each token the past loses `rate` of its log weight; `bonus` is added to the key of
/// the token that is being read.
template <class T>
struct WkvParameters {
  const T *rate = nullptr, *bonus = nullptr;
};

/// Of the tokens that came before, [rows, channels], or of every token, [rows, steps, channels].
template <class T>
struct WkvMemory {
  T *mean = nullptr, *log_weight = nullptr;
};

/// rate = e^time_decay; time_decay above 80 counts as 80, at which nothing is left of the past.
template <class T>
void WkvRates(int64_t channels, const T* time_decay, T* rate);

/// With m = sum_i w_i v_i / sum_i w_i and l = log sum_i w_i, w_i = e^(k_i - (t - 1 - i) rate),
/// over the tokens i < t of t's sequence:
///   y_t = m + sigmoid(bonus + k_t - l) (v_t - m)
///   m' = m + sigmoid(k_t - (l - rate)) (v_t - m),  l' = log(e^(l - rate) + e^(k_t)).
/// A sequence's first token has y = m' = v, l' = k. No intermediate overflows, whatever the keys.
/// `state` is read where pos is not 0 and updated in place; `before`, when its pointers are given,
/// receives what the state was before each token. Padding gives y = 0. About 80 FLOPs an element.
template <class T>
void Wkv(const WkvShape& shape, const WkvParameters<T>& parameters, const T* k, const T* v,
         const WkvMemory<T>& state, T* y, const WkvMemory<T>& before);

/// What the backward reads beside the parameters.
template <class T>
struct WkvPass {
  const T *k = nullptr, *v = nullptr;
  WkvMemory<const T> before;  // as Wkv wrote it
};
/// dL/dy and dL/d(state after the last token); each null: zero.
template <class T>
struct WkvCotangents {
  const T* y = nullptr;
  WkvMemory<const T> state;
};
/// Added to; each may be null. `state` is that of before the first token.
template <class T>
struct WkvGradients {
  T *k = nullptr, *v = nullptr, *rate = nullptr, *bonus = nullptr;
  WkvMemory<T> state;
};

/// scratch: WkvBackwardScratch(channels) elements.
template <class T>
void WkvBackward(const WkvShape& shape, const WkvParameters<T>& parameters, const WkvPass<T>& pass,
                 const WkvCotangents<T>& cotangents, const WkvGradients<T>& gradients, T* scratch);
constexpr int64_t WkvBackwardScratch(int64_t channels) { return 7 * channels; }

}  // namespace ssm::kernels
