#include "ssm/kernels/feature_map.h"

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/kernels/elementary.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

constexpr double kHalfRoot = 0.70710678118654752440;

struct EluPlusOne {
  template <class T>
  static T Value(T x) {
    return x > 0 ? x + 1 : Exp(x);
  }
  template <class T>
  static T Slope(T x) {
    return x > 0 ? T{1} : Exp(x);
  }
};
struct Relu {
  template <class T>
  static T Value(T x) {
    return x > 0 ? x : T{0};
  }
  template <class T>
  static T Slope(T x) {
    return x > 0 ? T{1} : T{0};
  }
};
struct SquaredRelu {
  template <class T>
  static T Value(T x) {
    return x > 0 ? x * x : T{0};
  }
  template <class T>
  static T Slope(T x) {
    return x > 0 ? 2 * x : T{0};
  }
};
struct Identity {
  template <class T>
  static T Value(T x) {
    return x;
  }
  template <class T>
  static T Slope(T) {
    return 1;
  }
};

/// Calls body with the map's function of one number; not for kTaylor2.
template <class Body>
void Dispatch(FeatureMap map, Body body) {
  switch (map) {
    case FeatureMap::kEluPlusOne:
      return body(EluPlusOne{});
    case FeatureMap::kRelu:
      return body(Relu{});
    case FeatureMap::kSquaredRelu:
      return body(SquaredRelu{});
    case FeatureMap::kIdentity:
      return body(Identity{});
    case FeatureMap::kTaylor2:
      break;
  }
  SSM_CHECK(false, "a feature map that is no function of one number");
}

template <class T>
void Taylor(int64_t d, const T* x, T* y) {
  *y++ = 1;
  std::copy_n(x, d, y);
  y += d;
  for (int64_t i = 0; i < d; ++i, y += d) {
    const T factor = x[i] * static_cast<T>(kHalfRoot);
#pragma omp simd
    for (int64_t j = 0; j < d; ++j) y[j] = factor * x[j];
  }
}

template <class T>
void TaylorBackward(int64_t d, const T* x, const T* gy, T* gx) {
  Axpy(d, T{1}, gy + 1, gx);
  const T* squares = gy + 1 + d;
  for (int64_t i = 0; i < d; ++i, squares += d) {
    gx[i] += static_cast<T>(kHalfRoot) * Dot(d, squares, x);
    Axpy(d, static_cast<T>(kHalfRoot) * x[i], squares, gx);
  }
}

/// Of a weight below the root of the smallest normal number a quotient's gradient may leave the
/// range of T.
template <class T>
bool FindsSomething(T weight, T eps) {
  constexpr T kLeast = sizeof(T) == sizeof(float) ? static_cast<T>(1e-19) : static_cast<T>(1e-154);
  return weight > std::max(eps, kLeast);
}

}  // namespace

int64_t FeatureCount(FeatureMap map, int64_t d) {
  return map == FeatureMap::kTaylor2 ? 1 + d + d * d : d;
}

double FeatureFlops(FeatureMap map, int64_t d) {
  return (map == FeatureMap::kEluPlusOne ? 21.0 : 2.0) * static_cast<double>(FeatureCount(map, d));
}

template <class T>
void MapFeatures(const FeatureShape& shape, const T* x, T* y) {
  const int64_t width = shape.heads * shape.d, count = FeatureCount(shape.map, shape.d);
  for (int64_t t = 0; t < shape.tokens; ++t, x += shape.stride) {
    if (shape.map == FeatureMap::kTaylor2) {
      for (int64_t h = 0; h < shape.heads; ++h, y += count) Taylor(shape.d, x + h * shape.d, y);
      continue;
    }
    Dispatch(shape.map, [=](auto f) {
#pragma omp simd
      for (int64_t i = 0; i < width; ++i) y[i] = f.Value(x[i]);
    });
    y += width;
  }
}

template <class T>
void MapFeaturesBackward(const FeatureShape& shape, const T* x, const T* gy, T* gx) {
  const int64_t width = shape.heads * shape.d, count = FeatureCount(shape.map, shape.d);
  for (int64_t t = 0; t < shape.tokens; ++t, x += shape.stride, gx += shape.stride) {
    if (shape.map == FeatureMap::kTaylor2) {
      for (int64_t h = 0; h < shape.heads; ++h, gy += count) {
        TaylorBackward(shape.d, x + h * shape.d, gy, gx + h * shape.d);
      }
      continue;
    }
    Dispatch(shape.map, [=](auto f) {
#pragma omp simd
      for (int64_t i = 0; i < width; ++i) gx[i] += f.Slope(x[i]) * gy[i];
    });
    gy += width;
  }
}

template <class T>
void ExpAnchors(int64_t heads, int64_t d, const T* q, const T* k, bool start, T* m, T* loss,
                T* anchor) {
  for (int64_t h = 0; h < heads; ++h, q += d, k += d, m += d, loss += d) {
    T largest = 0;
    for (int64_t i = 0; i < d; ++i) {
      const T before = m[i], after = start || k[i] > before ? k[i] : before;
      loss[i] = start ? T{0} : before - after;
      m[i] = after;
      const T sum = q[i] + after;
      largest = i == 0 || sum > largest ? sum : largest;
    }
    anchor[h] = largest;
  }
}

template <class T>
void ExpFeatures(int64_t heads, int64_t d, const T* q, const T* k, const T* m, const T* anchor,
                 T* q_out, T* k_out) {
  for (int64_t h = 0; h < heads; ++h) {
    const T shift = anchor[h];
#pragma omp simd
    for (int64_t i = h * d; i < (h + 1) * d; ++i) {
      q_out[i] = Exp(q[i] + m[i] - shift);
      k_out[i] = Exp(k[i] - m[i]);
    }
  }
}

template <class T>
int64_t NormaliseRead(int64_t heads, int64_t d, T eps, const T* read, T* y) {
  int64_t nothing = 0;
  for (int64_t h = 0; h < heads; ++h, read += d + 1, y += d) {
    if (!FindsSomething(read[d], eps)) {
      std::fill_n(y, d, T{0});
      ++nothing;
      continue;
    }
    const T weight = read[d] + eps;
#pragma omp simd
    for (int64_t j = 0; j < d; ++j) y[j] = read[j] / weight;
  }
  return nothing;
}

template <class T>
void NormaliseReadBackward(int64_t heads, int64_t d, T eps, const T* read, const T* gy, T* gread) {
  for (int64_t h = 0; h < heads; ++h, read += d + 1, gy += d, gread += d + 1) {
    if (!FindsSomething(read[d], eps)) continue;
    const T weight = read[d] + eps;
    T sum = 0;  // of gy y: a square of 1 / weight would leave the range
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < d; ++j) sum += gy[j] * (read[j] / weight);
    Axpy(d, 1 / weight, gy, gread);
    gread[d] -= sum / weight;
  }
}

#define SSM_INSTANTIATE(T)                                                                     \
  template void MapFeatures(const FeatureShape&, const T*, T*);                                \
  template void MapFeaturesBackward(const FeatureShape&, const T*, const T*, T*);              \
  template void ExpAnchors(int64_t, int64_t, const T*, const T*, bool, T*, T*, T*);            \
  template void ExpFeatures(int64_t, int64_t, const T*, const T*, const T*, const T*, T*, T*); \
  template int64_t NormaliseRead(int64_t, int64_t, T, const T*, T*);                           \
  template void NormaliseReadBackward(int64_t, int64_t, T, const T*, const T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
