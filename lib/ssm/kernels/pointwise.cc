#include "ssm/kernels/pointwise.h"

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/kernels/elementary.h"

namespace ssm::kernels {
namespace {

/// A function with its derivative; the compiler shares what they have in common.
struct None {
  template <class T>
  static T Value(T x) {
    return x;
  }
  template <class T>
  static T Slope(T) {
    return 1;
  }
};
struct Gelu {
  template <class T>
  static T Value(T x) {
    return x * NormalLaw(x).cdf;
  }
  template <class T>
  static T Slope(T x) {
    const NormalParts<T> normal = NormalLaw(x);
    return normal.cdf + x * normal.density;
  }
};
struct Silu {
  template <class T>
  static T Value(T x) {
    return x * Sigmoid(x);
  }
  template <class T>
  static T Slope(T x) {
    const SigmoidPair<T> s = Sigmoids(x);
    return s.value + x * s.value * s.complement;
  }
};
struct Relu {
  template <class T>
  static T Value(T x) {
    return x < 0 ? T{0} : x;
  }
  template <class T>
  static T Slope(T x) {
    return x > 0 ? T{1} : T{0};
  }
};
struct HyperbolicTangent {
  template <class T>
  static T Value(T x) {
    return Tanh(x);
  }
  template <class T>
  static T Slope(T x) {
    const T y = Tanh(x);
    return 1 - y * y;
  }
};
struct Logistic {
  template <class T>
  static T Value(T x) {
    return Sigmoid(x);
  }
  template <class T>
  static T Slope(T x) {
    const SigmoidPair<T> s = Sigmoids(x);
    return s.value * s.complement;
  }
};
struct SoftPlus {
  template <class T>
  static T Value(T x) {
    return Softplus(x);
  }
  template <class T>
  static T Slope(T x) {
    return Sigmoid(x);
  }
};
struct Exponential {
  template <class T>
  static T Value(T x) {
    return Exp(x);
  }
  template <class T>
  static T Slope(T x) {
    return Exp(x);
  }
};
struct Positive {
  template <class T>
  static T Value(T x) {
    const T s = Sigmoid(x);
    return x < 0 ? s : x + static_cast<T>(0.5);
  }
  template <class T>
  static T Slope(T x) {
    const SigmoidPair<T> s = Sigmoids(x);
    return x < 0 ? s.value * s.complement : T{1};
  }
};
struct SquaredRelu {
  template <class T>
  static T Value(T x) {
    const T y = Relu::Value(x);
    return y * y;
  }
  template <class T>
  static T Slope(T x) {
    return 2 * Relu::Value(x);
  }
};

/// Calls body with the function's type.
template <class Body>
void Dispatch(Activation f, Body body) {
  switch (f) {
    case Activation::kNone:
      return body(None{});
    case Activation::kGelu:
      return body(Gelu{});
    case Activation::kSilu:
      return body(Silu{});
    case Activation::kRelu:
      return body(Relu{});
    case Activation::kTanh:
      return body(HyperbolicTangent{});
    case Activation::kSigmoid:
      return body(Logistic{});
    case Activation::kSoftplus:
      return body(SoftPlus{});
    case Activation::kExp:
      return body(Exponential{});
    case Activation::kPositive:
      return body(Positive{});
    case Activation::kSquaredRelu:
      return body(SquaredRelu{});
  }
  SSM_CHECK(false, "an activation that does not exist");
}

}  // namespace

double ActivationFlops(Activation f) {
  switch (f) {
    case Activation::kNone:
      return 0;
    case Activation::kRelu:
      return 1;
    case Activation::kSquaredRelu:
      return 2;
    case Activation::kExp:
      return 20;
    case Activation::kSigmoid:
    case Activation::kTanh:
      return 24;
    case Activation::kSilu:
    case Activation::kPositive:
      return 25;
    case Activation::kSoftplus:
      return 36;
    case Activation::kGelu:
      return 44;
  }
  return 0;
}

template <class T>
void Apply(Activation f, int64_t n, const T* x, T* y) {
  Dispatch(f, [=](auto function) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] = function.Value(x[i]);
  });
}

template <class T>
void ApplyBackward(Activation f, int64_t n, const T* x, const T* gy, T* gx) {
  Dispatch(f, [=](auto function) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) gx[i] += function.Slope(x[i]) * gy[i];
  });
}

template <class T>
void ApplyProduct(Activation f, int64_t n, const T* a, const T* b, T* y) {
  Dispatch(f, [=](auto function) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] = function.Value(a[i]) * b[i];
  });
}

template <class T>
void ApplyProductBackward(Activation f, int64_t n, const T* a, const T* b, const T* gy, T* ga,
                          T* gb) {
  Dispatch(f, [=](auto function) {
    if (ga != nullptr && gb != nullptr) {
#pragma omp simd
      for (int64_t i = 0; i < n; ++i) {
        const T g = gy[i];
        ga[i] += function.Slope(a[i]) * b[i] * g;
        gb[i] += function.Value(a[i]) * g;
      }
    } else if (ga != nullptr) {
#pragma omp simd
      for (int64_t i = 0; i < n; ++i) ga[i] += function.Slope(a[i]) * b[i] * gy[i];
    } else if (gb != nullptr) {
#pragma omp simd
      for (int64_t i = 0; i < n; ++i) gb[i] += function.Value(a[i]) * gy[i];
    }
  });
}

template <class T>
void SpreadRows(int64_t rows, int64_t n, const T* bias, T* y) {
  if (bias == nullptr) {
    std::fill_n(y, rows * n, T{0});
    return;
  }
  for (int64_t i = 0; i < rows; ++i) std::copy_n(bias, n, y + i * n);
}

template <class T>
void SumRows(int64_t rows, int64_t n, const T* gy, T* gbias) {
  for (int64_t i = 0; i < rows; ++i) {
    const T* row = gy + i * n;
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) gbias[j] += row[j];
  }
}

#define SSM_INSTANTIATE(T)                                                                       \
  template void Apply(Activation, int64_t, const T*, T*);                                        \
  template void ApplyBackward(Activation, int64_t, const T*, const T*, T*);                      \
  template void ApplyProduct(Activation, int64_t, const T*, const T*, T*);                       \
  template void ApplyProductBackward(Activation, int64_t, const T*, const T*, const T*, T*, T*); \
  template void SpreadRows(int64_t, int64_t, const T*, T*);                                      \
  template void SumRows(int64_t, int64_t, const T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
