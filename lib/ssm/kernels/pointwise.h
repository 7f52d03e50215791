// Activation functions over arrays, forward and backward.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// kGelu is the exact form x Phi(x) (PyTorch's default, not the tanh approximation); kSilu
/// x sigmoid(x); kSoftplus log(1 + e^x); kPositive x + 1/2 from 0 on and sigmoid(x) below, always
/// above 0 (Feng et al. 2024); kSquaredRelu max(x, 0)^2 (So et al. 2021).
enum class Activation {
  kNone,
  kGelu,
  kSilu,
  kRelu,
  kTanh,
  kSigmoid,
  kSoftplus,
  kExp,
  kPositive,
  kSquaredRelu
};

/// FLOPs per element that plans count for a function (its polynomials, not library cycles).
double ActivationFlops(Activation f);

/// y = f(x). In place (y == x) is legal.
/// Accuracy: see elementary.h.
template <class T>
void Apply(Activation f, int64_t n, const T* x, T* y);

/// gx += f'(x) gy.
template <class T>
void ApplyBackward(Activation f, int64_t n, const T* x, const T* gy, T* gx);

/// y = f(a) b.
template <class T>
void ApplyProduct(Activation f, int64_t n, const T* a, const T* b, T* y);

/// ga += f'(a) b gy and gb += f(a) gy; each may be null.
template <class T>
void ApplyProductBackward(Activation f, int64_t n, const T* a, const T* b, const T* gy, T* ga,
                          T* gb);

/// y [rows, n] = bias [n] in every row; zeros where bias is null.
template <class T>
void SpreadRows(int64_t rows, int64_t n, const T* bias, T* y);

/// gbias [n] += sum over rows of gy [rows, n].
template <class T>
void SumRows(int64_t rows, int64_t n, const T* gy, T* gbias);

}  // namespace ssm::kernels
