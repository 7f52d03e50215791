// Softmax of rows, and its log-sum-exp.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// p [rows, n] = softmax of each row of x, shifted by the row's largest value: any finite x is
/// safe. In place is legal; n >= 1.
template <class T>
void Softmax(int64_t rows, int64_t n, const T* x, T* p);

/// out [rows] = log sum_j exp x_j.
template <class T>
void LogSumExp(int64_t rows, int64_t n, const T* x, T* out);

/// gx += p (gy - sum_j p_j gy_j).
template <class T>
void SoftmaxBackward(int64_t rows, int64_t n, const T* p, const T* gy, T* gx);

}  // namespace ssm::kernels
