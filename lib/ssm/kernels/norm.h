// Normalisation of rows.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// Added to the variance (layer norm) or mean square (RMS norm) under the root.
inline constexpr double kNormEps = 1e-5;

/// y = (x - mean) rstd weight + bias over each of `groups` equal parts of every row of n; mean and
/// rstd [rows, groups] are saved for the backward and may be null; weight and bias [n]. A part of
/// equal values gives the bias. (Ba et al. 2016.)
template <class T>
void LayerNorm(int64_t rows, int64_t n, const T* x, const T* weight, const T* bias, T* y, T* mean,
               T* rstd, int64_t groups = 1);

/// Adds into gx [rows, n], gweight [n], gbias [n]; each may be null.
template <class T>
void LayerNormBackward(int64_t rows, int64_t n, const T* x, const T* weight, const T* mean,
                       const T* rstd, const T* gy, T* gx, T* gweight, T* gbias, int64_t groups = 1);

/// y = x rstd weight, rstd = (mean of x^2 + eps)^-1/2, over each part of every row, as above.
/// (Zhang and Sennrich 2019.)
template <class T>
void RmsNorm(int64_t rows, int64_t n, const T* x, const T* weight, T* y, T* rstd,
             int64_t groups = 1);

/// Adds into gx [rows, n] and gweight [n]; each may be null.
template <class T>
void RmsNormBackward(int64_t rows, int64_t n, const T* x, const T* weight, const T* rstd,
                     const T* gy, T* gx, T* gweight, int64_t groups = 1);

}  // namespace ssm::kernels
