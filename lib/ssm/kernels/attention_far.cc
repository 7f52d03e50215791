#include "ssm/kernels/attention_far.h"

#include "ssm/kernels/attention_softmax-inl.h"

namespace ssm::kernels {
namespace {

/// A run of keys, the gradients beside them (null: unwanted), and how far its rows are apart.
template <class T>
struct FarRun {
  KeyRun<T> keys;
  T *g_k = nullptr, *g_v = nullptr;
  int64_t stride = 0;
};

/// Calls visit(run) for what token `token` of row `row` sees in front of its window.
template <class T, class Visit>
void ForEachRun(const AttentionShape& shape, const FarShape& far, const FarArrays<const T>& keys,
                const FarArrays<T>& g_keys, int64_t row, int64_t token, const Visit& visit) {
  const auto at = [](auto* array, int64_t offset) {
    return array == nullptr ? nullptr : array + offset;
  };
  const int64_t distance = shape.pos[token] - (far.every - 1);
  if (const int64_t n = far.cached[token]; n > 0) {
    const int64_t offset = row * far.entries * shape.width();
    visit(FarRun<T>{{n, keys.k_cache + offset, keys.v_cache + offset, distance, far.every},
                    at(g_keys.k_cache, offset),
                    at(g_keys.v_cache, offset),
                    shape.width()});
  }
  if (const int64_t n = far.made[token]; n > 0) {
    const int64_t offset = (row * far.rows_made + far.first[token]) * far.stride;
    const int64_t k = offset + far.k_column, v = offset + far.v_column;
    visit(FarRun<T>{
        {n, keys.made + k, keys.made + v, distance - far.cached[token] * far.every, far.every},
        at(g_keys.made, k),
        at(g_keys.made, v),
        far.stride});
  }
}

/// Calls visit(row, step) for every token that sees something.
template <class Visit>
void ForEachQuery(const AttentionShape& shape, const FarShape& far, const Visit& visit) {
  for (int64_t row = 0; row < shape.rows; ++row) {
    for (int64_t step = 0; step < shape.steps; ++step) {
      const int64_t token = row * shape.steps + step;
      if (far.cached[token] + far.made[token] > 0) visit(row, step);
    }
  }
}

/// One head of one query, walked back.
template <class T, class Head>
struct QueryBack {
  Head head;
  int64_t index, d_head;
  DistanceBias<T> bias;
  T scale, largest, inverse, mean;
  const T *q, *gy;
  T *g_q, *g_table;  // null: unwanted

  void Run(const FarRun<T>& run, int64_t first) const {
    for (int64_t j = 0; j < run.keys.n; j += kStepKeys) {
      Some(run, first, j, std::min(kStepKeys, run.keys.n - j));
    }
  }

  /// Keys [begin, begin + n).
  void Some(const FarRun<T>& run, int64_t first, int64_t begin, int64_t n) const {
    T weights[kStepKeys], g[kStepKeys];
    const int64_t offset = begin * run.stride + first;
    const T *k = run.keys.k + offset, *v = run.keys.v + offset;
    for (int64_t j = 0; j < n; ++j) {
      const int64_t distance = run.keys.distance - (begin + j) * run.keys.spacing;
      const T added = bias.any() ? bias.At(index, distance) : T{0};
      weights[j] = head.Product(q, k + j * run.stride) * scale + added - largest;
      g[j] = head.Product(gy, v + j * run.stride);
    }
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) {
      weights[j] = Exp(weights[j]) * inverse;
      g[j] = weights[j] * (g[j] - mean);
    }
    for (int64_t j = 0; j < n && g_table != nullptr; ++j) {
      g_table[bias.InTable(index, run.keys.distance - (begin + j) * run.keys.spacing)] += g[j];
    }
    for (int64_t j = 0; j < n; ++j) {
      const int64_t row = offset + j * run.stride;
      if (g_q != nullptr) Axpy(d_head, g[j] * scale, k + j * run.stride, g_q);
      if (run.g_k != nullptr) Axpy(d_head, g[j] * scale, q, run.g_k + row);
      if (run.g_v != nullptr) Axpy(d_head, weights[j], gy, run.g_v + row);
    }
  }
};

}  // namespace

double FarShape::Pairs(int64_t tokens) const {
  double pairs = 0;
  for (int64_t i = 0; i < tokens && any(); ++i) pairs += static_cast<double>(cached[i] + made[i]);
  return pairs;
}

template <class T>
void AddFar(const AttentionShape& shape, const FarShape& far, const AttentionInputs<T>& in,
            const FarArrays<const T>& keys, T* y, const AttentionStatistics<T>& statistics) {
  WithHead<T>(shape.d_head, [&]<class Head>(const Head& kind) {
    ForEachQuery(shape, far, [&](int64_t row, int64_t step) {
      for (int64_t h = 0; h < shape.heads; ++h) {
        const AttentionHead head(shape, row, h);
        T &largest = statistics.largest[head.InStatistics(step)],
          &sum = statistics.sum[head.InStatistics(step)];
        T* to = y + head.InY(step);
        for (int64_t d = 0; d < shape.d_head; ++d) to[d] *= sum;
        RunningSoftmax<T, Head> softmax{kind,
                                        shape.d_head,
                                        in.bias,
                                        h,
                                        in.qkv + head.InQkv(0, step),
                                        AttentionScale<T>(shape.d_head),
                                        largest,
                                        sum,
                                        to};
        ForEachRun<T>(
            shape, far, keys, {}, row, row * shape.steps + step,
            [&](const FarRun<T>& run) { softmax.Add(run.keys, h * shape.d_head, run.stride); });
        largest = softmax.largest;
        sum = softmax.sum;
        const T inverse = 1 / sum;
        for (int64_t d = 0; d < shape.d_head; ++d) to[d] *= inverse;
      }
    });
  });
}

template <class T>
void AddFarBackward(const AttentionShape& shape, const FarShape& far, const AttentionInputs<T>& in,
                    const FarArrays<const T>& keys, const T* y,
                    const AttentionStatistics<T>& statistics, const T* gy,
                    const AttentionGradients<T>& gradients, const FarArrays<T>& g_keys) {
  WithHead<T>(shape.d_head, [&]<class Head>(const Head& kind) {
    ForEachQuery(shape, far, [&](int64_t row, int64_t step) {
      for (int64_t h = 0; h < shape.heads; ++h) {
        const AttentionHead head(shape, row, h);
        const int64_t in_statistics = head.InStatistics(step), q = head.InQkv(0, step);
        const QueryBack<T, Head> query{kind,
                                       h,
                                       shape.d_head,
                                       in.bias,
                                       AttentionScale<T>(shape.d_head),
                                       statistics.largest[in_statistics],
                                       1 / statistics.sum[in_statistics],
                                       Dot(shape.d_head, y + head.InY(step), gy + head.InY(step)),
                                       in.qkv + q,
                                       gy + head.InY(step),
                                       gradients.qkv == nullptr ? nullptr : gradients.qkv + q,
                                       in.bias.table == nullptr ? nullptr : gradients.bias_table};
        ForEachRun<T>(shape, far, keys, g_keys, row, row * shape.steps + step,
                      [&](const FarRun<T>& run) { query.Run(run, h * shape.d_head); });
      }
    });
  });
}

#define SSM_INSTANTIATE(T)                                                                         \
  template void AddFar(const AttentionShape&, const FarShape&, const AttentionInputs<T>&,          \
                       const FarArrays<const T>&, T*, const AttentionStatistics<T>&);              \
  template void AddFarBackward(const AttentionShape&, const FarShape&, const AttentionInputs<T>&,  \
                               const FarArrays<const T>&, const T*, const AttentionStatistics<T>&, \
                               const T*, const AttentionGradients<T>&, const FarArrays<T>&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
