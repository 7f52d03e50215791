// Complex numbers without the checks for infinities that std::complex makes in every product.
// Always inlined: a loop with one call left in it does not vectorise.
#pragma once

namespace ssm::kernels {

template <class T>
struct ComplexPair {
  T re = 0;
  T im = 0;
};

template <class T>
[[gnu::always_inline]] constexpr ComplexPair<T> operator+(ComplexPair<T> a, ComplexPair<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
[[gnu::always_inline]] constexpr ComplexPair<T> operator-(ComplexPair<T> a, ComplexPair<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
[[gnu::always_inline]] constexpr ComplexPair<T> operator*(ComplexPair<T> a, ComplexPair<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T>
[[gnu::always_inline]] constexpr ComplexPair<T> operator*(T a, ComplexPair<T> b) {
  return {a * b.re, a * b.im};
}
template <class T>
[[gnu::always_inline]] constexpr ComplexPair<T> Conj(ComplexPair<T> a) {
  return {a.re, -a.im};
}
/// 1 / a, scaled against overflow of |a|^2.
template <class T>
[[gnu::always_inline]] constexpr ComplexPair<T> Inverse(ComplexPair<T> a) {
  const T scale = (a.re < 0 ? -a.re : a.re) + (a.im < 0 ? -a.im : a.im);
  const ComplexPair<T> b{a.re / scale, a.im / scale};
  const T norm = (b.re * b.re + b.im * b.im) * scale;
  return {b.re / norm, -b.im / norm};
}
/// (1 + a)(1 + b) - 1, exact to the last bits of small a and b.
template <class T>
[[gnu::always_inline]] constexpr ComplexPair<T> CompoundMinus1(ComplexPair<T> a, ComplexPair<T> b) {
  return a + b + a * b;
}

}  // namespace ssm::kernels
