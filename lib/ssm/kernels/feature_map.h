// What linear attention makes of queries and keys before it multiplies them.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// Of a head x [d]: elu(x) + 1 (Katharopoulos et al. 2020), max(x, 0), its square, x itself, or
/// [1, x, x (x) x / sqrt 2], whose products are 1 + s + s^2 / 2 (Arora et al. 2024).
enum class FeatureMap { kEluPlusOne, kRelu, kSquaredRelu, kIdentity, kTaylor2 };

/// Features of a head of d channels.
int64_t FeatureCount(FeatureMap map, int64_t d);
/// FLOPs plans count for them.
double FeatureFlops(FeatureMap map, int64_t d);

/// Tokens of `stride` numbers whose first `heads` times d are heads.
struct FeatureShape {
  FeatureMap map = FeatureMap::kEluPlusOne;
  int64_t tokens = 0, stride = 0, heads = 0, d = 0;
};

/// y [tokens, heads FeatureCount].
template <class T>
void MapFeatures(const FeatureShape& shape, const T* x, T* y);
/// gx [tokens, stride] += what comes of gy.
template <class T>
void MapFeaturesBackward(const FeatureShape& shape, const T* x, const T* gy, T* gx);

/// exp(q) . exp(k) without overflow: both are referred to m [heads d], the largest key of each
/// channel so far, and queries to the largest q + m of their head. One token; q and k [heads d].
/// m goes from before the token to after it; `start`: nothing was before.
/// loss [heads d] = m before - m after, <= 0 (0 at a start); anchor [heads].
template <class T>
void ExpAnchors(int64_t heads, int64_t d, const T* q, const T* k, bool start, T* m, T* loss,
                T* anchor);
/// q_out = exp(q + m - anchor) and k_out = exp(k - m), at most 1.
template <class T>
void ExpFeatures(int64_t heads, int64_t d, const T* q, const T* k, const T* m, const T* anchor,
                 T* q_out, T* k_out);

/// y [heads, d] = sums / (weight + eps) of read [heads, d + 1], the weight last; 0 where the weight
/// is eps or less, or less than 1e-19 (double 1e-154), the root of the smallest normal number.
/// Returns how many heads found nothing.
template <class T>
int64_t NormaliseRead(int64_t heads, int64_t d, T eps, const T* read, T* y);
/// gread += what comes of gy.
template <class T>
void NormaliseReadBackward(int64_t heads, int64_t d, T eps, const T* read, const T* gy, T* gread);

}  // namespace ssm::kernels
