// Normalisation of rows.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// Added to the variance (layer norm) or mean square (RMS norm) under the root.
inline constexpr double kNormEps = 1e-5;

/// y = (x - mean) rstd weight + bias over each row of n; mean and rstd [rows] are saved for the
/// backward and may be null. A row of equal values gives the bias. (Ba et al. 2016.)
template <class T>
void LayerNorm(int64_t rows, int64_t n, const T* x, const T* weight, const T* bias, T* y, T* mean,
               T* rstd);

/// Adds into gx [rows, n], gweight [n], gbias [n]; each may be null.
template <class T>
void LayerNormBackward(int64_t rows, int64_t n, const T* x, const T* weight, const T* mean,
                       const T* rstd, const T* gy, T* gx, T* gweight, T* gbias);

/// y = x rstd weight, rstd = (mean of x^2 + eps)^-1/2, over each row of n. (Zhang and Sennrich
/// 2019.)
template <class T>
void RmsNorm(int64_t rows, int64_t n, const T* x, const T* weight, T* y, T* rstd);

/// Adds into gx [rows, n] and gweight [n]; each may be null.
template <class T>
void RmsNormBackward(int64_t rows, int64_t n, const T* x, const T* weight, const T* rstd,
                     const T* gy, T* gx, T* gweight);

}  // namespace ssm::kernels
