#include "ssm/kernels/wkv.h"

#include <algorithm>
#include <cmath>

#include "ssm/kernels/elementary.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

/// Where the logarithms of the new weight and the old one differ by `lead`: the smaller one's share
/// of the sum, and what log(1 + e^-|lead|) adds to the larger logarithm.
template <class T>
struct Shares {
  T lead, small, ratio;
};

template <class T>
inline Shares<T> SharesOf(T lead) {
  const T ratio = Exp(-std::abs(lead));
  return {lead, ratio / (1 + ratio), ratio};
}

/// The mean of two by their shares, exact where one has none or both are equal.
template <class T>
inline T Blend(const Shares<T>& shares, T old_value, T new_value) {
  const bool leads = shares.lead > 0;
  const T large = leads ? new_value : old_value, other = leads ? old_value : new_value;
  return large + shares.small * (other - large);
}

template <class T>
void ReadAndWrite(int64_t channels, const WkvParameters<T>& parameters, const T* k, const T* v,
                  T* mean, T* log_weight, T* y) {
  const T *rate = parameters.rate, *bonus = parameters.bonus;
#pragma omp simd
  for (int64_t c = 0; c < channels; ++c) {
    const T kept = log_weight[c] - rate[c];
    const Shares<T> read = SharesOf(bonus[c] + k[c] - log_weight[c]);
    const Shares<T> written = SharesOf(k[c] - kept);
    y[c] = Blend(read, mean[c], v[c]);
    mean[c] = Blend(written, mean[c], v[c]);
    log_weight[c] = (k[c] > kept ? k[c] : kept) + Log1pUnit(written.ratio);
  }
}

/// The gradients of one row on their way back, and the sums of the row.
template <class T>
struct RowGradients {
  T *mean, *log_weight, *rate, *bonus;
};

template <class T>
void Retreat(int64_t channels, const WkvParameters<T>& parameters, const T* k, const T* v,
             const WkvMemory<const T>& before, const T* gy, const RowGradients<T>& g, T* gk,
             T* gv) {
  const T *rate = parameters.rate, *bonus = parameters.bonus;
  const T *mean = before.mean, *log_weight = before.log_weight;
#pragma omp simd
  for (int64_t c = 0; c < channels; ++c) {
    const SigmoidPair<T> read = Sigmoids(bonus[c] + k[c] - log_weight[c]);
    const SigmoidPair<T> written = Sigmoids(k[c] - (log_weight[c] - rate[c]));
    const T apart = v[c] - mean[c];
    const T by_read = gy[c] * read.value * read.complement * apart;
    const T by_write = g.mean[c] * written.value * written.complement * apart;
    const T into_kept = g.log_weight[c] * written.complement - by_write;
    gk[c] += by_read + by_write + g.log_weight[c] * written.value;
    gv[c] += gy[c] * read.value + g.mean[c] * written.value;
    g.bonus[c] += by_read;
    g.rate[c] -= into_kept;
    g.mean[c] = gy[c] * read.complement + g.mean[c] * written.complement;
    g.log_weight[c] = into_kept - by_read;
  }
}

/// A sequence's first token: y = m' = v, l' = k.
template <class T>
void RetreatFromStart(int64_t channels, const T* gy, const RowGradients<T>& g, T* gk, T* gv) {
#pragma omp simd
  for (int64_t c = 0; c < channels; ++c) {
    gk[c] += g.log_weight[c];
    gv[c] += gy[c] + g.mean[c];
    g.mean[c] = 0;
    g.log_weight[c] = 0;
  }
}

template <class T>
void CopyOrZero(int64_t n, const T* from, T* to) {
  if (from == nullptr) std::fill_n(to, n, T{0});
  if (from != nullptr) std::copy_n(from, n, to);
}

template <class T>
void AddWanted(int64_t n, const T* from, T* to) {
  if (to != nullptr) Axpy(n, T{1}, from, to);
}

template <class T>
T* At(T* array, int64_t offset, T* otherwise) {
  return array == nullptr ? otherwise : array + offset;
}

}  // namespace

template <class T>
void WkvRates(int64_t channels, const T* time_decay, T* rate) {
#pragma omp simd
  for (int64_t c = 0; c < channels; ++c) rate[c] = Exp(time_decay[c] > 80 ? T{80} : time_decay[c]);
}

template <class T>
void Wkv(const WkvShape& shape, const WkvParameters<T>& parameters, const T* k, const T* v,
         const WkvMemory<T>& state, T* y, const WkvMemory<T>& before) {
  const int64_t n = shape.channels;
  for (int64_t row = 0; row < shape.rows; ++row) {
    T *mean = state.mean + row * n, *log_weight = state.log_weight + row * n;
    for (int64_t i = row * shape.steps; i < (row + 1) * shape.steps; ++i) {
      const T *k_i = k + i * n, *v_i = v + i * n;
      T* y_i = y + i * n;
      if (before.mean != nullptr) {
        std::copy_n(mean, n, before.mean + i * n);
        std::copy_n(log_weight, n, before.log_weight + i * n);
      }
      if (shape.pos[i] < 0) {
        std::fill_n(y_i, n, T{0});
      } else if (shape.pos[i] == 0) {
        std::copy_n(v_i, n, y_i);
        std::copy_n(v_i, n, mean);
        std::copy_n(k_i, n, log_weight);
      } else {
        ReadAndWrite(n, parameters, k_i, v_i, mean, log_weight, y_i);
      }
    }
  }
}

template <class T>
void WkvBackward(const WkvShape& shape, const WkvParameters<T>& parameters, const WkvPass<T>& pass,
                 const WkvCotangents<T>& cotangents, const WkvGradients<T>& gradients, T* scratch) {
  const int64_t n = shape.channels;
  const RowGradients<T> g{scratch, scratch + n, scratch + 2 * n, scratch + 3 * n};
  T *none = scratch + 4 * n, *k_sink = scratch + 5 * n, *v_sink = scratch + 6 * n;
  std::fill_n(none, 3 * n, T{0});
  for (int64_t row = 0; row < shape.rows; ++row) {
    CopyOrZero(n, At(cotangents.state.mean, row * n, static_cast<const T*>(nullptr)), g.mean);
    CopyOrZero(n, At(cotangents.state.log_weight, row * n, static_cast<const T*>(nullptr)),
               g.log_weight);
    std::fill_n(g.rate, 2 * n, T{0});
    for (int64_t i = (row + 1) * shape.steps - 1; i >= row * shape.steps; --i) {
      if (shape.pos[i] < 0) continue;
      const T* gy = At(cotangents.y, i * n, static_cast<const T*>(none));
      T *gk = At(gradients.k, i * n, k_sink), *gv = At(gradients.v, i * n, v_sink);
      if (shape.pos[i] == 0) {
        RetreatFromStart(n, gy, g, gk, gv);
      } else {
        Retreat(n, parameters, pass.k + i * n, pass.v + i * n,
                {pass.before.mean + i * n, pass.before.log_weight + i * n}, gy, g, gk, gv);
      }
    }
    AddWanted(n, g.rate, gradients.rate);
    AddWanted(n, g.bonus, gradients.bonus);
    AddWanted<T>(n, g.mean, At(gradients.state.mean, row * n, static_cast<T*>(nullptr)));
    AddWanted<T>(n, g.log_weight,
                 At(gradients.state.log_weight, row * n, static_cast<T*>(nullptr)));
  }
}

#define SSM_INSTANTIATE(T)                                                               \
  template void WkvRates(int64_t, const T*, T*);                                         \
  template void Wkv(const WkvShape&, const WkvParameters<T>&, const T*, const T*,        \
                    const WkvMemory<T>&, T*, const WkvMemory<T>&);                       \
  template void WkvBackward(const WkvShape&, const WkvParameters<T>&, const WkvPass<T>&, \
                            const WkvCotangents<T>&, const WkvGradients<T>&, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
