// Elementary functions without branches, tables or calls: a plain loop over them vectorises.
//
// For float and double. Bounds, in units in the last place of the result (ulp), hold over the whole
// range and are measured by tests/kernels/elementary_test.cc: Exp 2, Expm1 4, Tanh 4, Sigmoid 4,
// Softplus 4, NormalCdf 4 above 0 and 8 + 2 x^2 below. Results under four times the smallest normal
// number may be 0. NaN gives NaN; infinities give the limits.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace ssm::kernels {

template <class T>
struct Float;
template <>
struct Float<float> {
  using Int = int32_t;
  static constexpr int kMantissa = 23, kBias = 127;
  static constexpr float kShifter = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  static constexpr float kLn2High = 0.693145751953125f, kLn2Low = 1.42860682030941723e-6f;
  static constexpr float kExpMin = -87.6f, kExpMax = 89.0f;  // there Exp is 0 and infinite
  static constexpr float kTanhMax = 10.0f;                   // there tanh rounds to 1
  static constexpr size_t kExpTerms = 7, kAtanhTerms = 5;
  // (a + 4) / 4 e^(a^2/2) Phi(-a) as a polynomial in (a - 4) / (a + 4), interpolated at the
  // Chebyshev nodes of a in [0, 14]; relative error 1.3e-8.
  static constexpr float kTailMax = 14.0f;
  static constexpr std::array<float, 10> kTail = {
      0.1888212846f,    -0.1519741546f,    0.09678417102f,   -0.04663067123f,   0.01510167218f,
      -0.001882312676f, -0.0008815459251f, 0.0003930794699f, 0.00005031543257f, -0.00003004610028f};
};
template <>
struct Float<double> {
  using Int = int64_t;
  static constexpr int kMantissa = 52, kBias = 1023;
  static constexpr double kShifter = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double kLn2High = 0.693147180369123816490, kLn2Low = 1.90821492927058770002e-10;
  static constexpr double kExpMin = -708.6, kExpMax = 710.0;
  static constexpr double kTanhMax = 20.0;
  static constexpr size_t kExpTerms = 14, kAtanhTerms = 11;
  // As above for a in [0, 39]; relative error 4e-17.
  static constexpr double kTailMax = 39.0;
  static constexpr std::array<double, 23> kTail = {
      0.18882128260393787,       -0.15197416049297294,    0.0967843501855547196,
      -0.0466304644899235408,    0.015099143722674866,    -0.00188504724139826476,
      -0.000869923090560633336,  0.000407704610472589899, 0.000033336063504762279,
      -0.0000577737045798440528, -4.76966632915339359e-7, 8.78604528944024318e-6,
      1.78751398980402467e-7,    -1.47972318294080911e-6, -1.56283026011967005e-7,
      2.54951212953379316e-7,    6.59206214410190627e-8,  -3.85658013419276849e-8,
      -1.90952051337261259e-8,   3.64464833675911493e-9,  3.48100599837542753e-9,
      1.81738636975667236e-11,   -2.41335635505712617e-10};
};

/// c[0] + c[1] x + ... by Horner's rule.
template <class T, size_t N>
inline T Polynomial(const std::array<T, N>& c, T x) {
  T sum = c[N - 1];
#pragma GCC unroll 32
  for (size_t k = N - 1; k > 0; --k) sum = sum * x + c[k - 1];
  return sum;
}

/// 1/1!, 1/2!, ...: (e^r - 1) / r.
template <class T>
inline constexpr auto kExpSeries = [] {
  std::array<T, Float<T>::kExpTerms> c{};
  double factorial = 1;
  for (size_t k = 0; k < c.size(); ++k) {
    factorial *= static_cast<double>(k + 1);
    c[k] = static_cast<T>(1 / factorial);
  }
  return c;
}();

/// 1, 1/3, 1/5, ...: atanh(s) / s in powers of s^2.
template <class T>
inline constexpr auto kAtanhSeries = [] {
  std::array<T, Float<T>::kAtanhTerms> c{};
  for (size_t k = 0; k < c.size(); ++k) c[k] = static_cast<T>(1 / static_cast<double>(2 * k + 1));
  return c;
}();

/// e^x = 2^n (1 + q) with |x - n ln 2| <= ln 2 / 2, q by its Taylor series.
template <class T>
struct ExpParts {
  T q;
  typename Float<T>::Int n;
};

template <class T>
inline ExpParts<T> SplitExp(T x) {
  using F = Float<T>;
  using Int = typename F::Int;
  constexpr T kLog2E = static_cast<T>(1.44269504088896340736);
  const T shifted = x * kLog2E + F::kShifter;
  const T n = shifted - F::kShifter;
  const T r = (x - n * F::kLn2High) - n * F::kLn2Low;
  const T q = Polynomial(kExpSeries<T>, r);
  return {q * r, std::bit_cast<Int>(shifted) - std::bit_cast<Int>(F::kShifter)};
}

/// 2^n for n in the normal range; 0 for n = -bias.
template <class T>
inline T PowerOfTwo(typename Float<T>::Int n) {
  using F = Float<T>;
  return std::bit_cast<T>(static_cast<typename F::Int>((n + F::kBias) << F::kMantissa));
}

template <class T>
inline T Exp(T x) {
  using F = Float<T>;
  const T low = x < F::kExpMin ? F::kExpMin : x;
  const ExpParts<T> e = SplitExp(low > F::kExpMax ? F::kExpMax : low);
  // 2^(n-1), then doubled: n = bias + 1 would not fit an exponent.
  return (e.q + 1) * PowerOfTwo<T>(e.n - 1) * 2;
}

/// e^x - 1, so that small x keep their relative accuracy.
template <class T>
inline T Expm1(T x) {
  using F = Float<T>;
  const T low = x < F::kExpMin ? F::kExpMin : x;
  const ExpParts<T> e = SplitExp(low > F::kExpMax ? F::kExpMax : low);
  const T half = PowerOfTwo<T>(e.n - 1);
  return (half * e.q + (half - static_cast<T>(0.5))) * 2;
}

/// By expm1, so that small x keep their relative accuracy.
template <class T>
inline T Tanh(T x) {
  const T a = std::abs(x);
  const ExpParts<T> e = SplitExp(2 * (a > Float<T>::kTanhMax ? Float<T>::kTanhMax : a));
  const T power = PowerOfTwo<T>(e.n);
  const T expm1 = power * e.q + (power - 1);
  return std::copysign(expm1 / (expm1 + 2), x);
}

/// sigmoid(x) and sigmoid(-x), both to full relative accuracy.
template <class T>
struct SigmoidPair {
  T value, complement;
};

template <class T>
inline SigmoidPair<T> Sigmoids(T x) {
  const T e = Exp(-std::abs(x));
  const T large = 1 / (1 + e);
  const T small = e * large;
  return {x < 0 ? small : large, x < 0 ? large : small};
}

template <class T>
inline T Sigmoid(T x) {
  return Sigmoids(x).value;
}

/// log(1 + u) for u in [0, 1]: 2 atanh(u / (2 + u)) by its series, halved first where 1 + u is
/// large.
template <class T>
inline T Log1pUnit(T u) {
  const bool large = u > static_cast<T>(0.41421356237309505);
  const T v = large ? (u - 1) / 2 : u;
  const T base = large ? static_cast<T>(0.69314718055994530942) : T{0};
  const T s = v / (2 + v);
  return base + 2 * s * Polynomial(kAtanhSeries<T>, s * s);
}

/// log(1 + e^x).
template <class T>
inline T Softplus(T x) {
  const T positive = x > 0 ? x : (x < 0 ? T{0} : x);  // NaN stays
  return positive + Log1pUnit(Exp(-std::abs(x)));
}

/// Phi(x) of the standard normal law and its density.
template <class T>
struct NormalParts {
  T cdf, density;
};

template <class T>
inline NormalParts<T> NormalLaw(T x) {
  using F = Float<T>;
  const T magnitude = std::abs(x);
  const T a = magnitude > F::kTailMax ? F::kTailMax : magnitude;
  const T e = Exp(a * a * static_cast<T>(-0.5));
  const T inverse = 1 / (a + 4);
  const T t = (a - 4) * inverse;
  const T tail = e * Polynomial(F::kTail, t) * 4 * inverse;
  return {x > 0 ? 1 - tail : tail, e * static_cast<T>(0.39894228040143267794)};
}

}  // namespace ssm::kernels
