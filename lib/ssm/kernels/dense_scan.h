// The linear recurrence h[t] = A h[t-1] + u[t] with a dense A for each of some groups of states.
#pragma once

#include <cstdint>

namespace ssm::kernels {

struct DenseScanShape {
  int64_t rows = 0, steps = 0, groups = 1, states = 0;
  const int64_t* pos = nullptr;  // [rows, steps]: 0 starts a sequence, -1 is padding; null: neither

  int64_t width() const { return groups * states; }
  int64_t Position(int64_t row, int64_t step) const {
    return pos == nullptr ? 1 : pos[row * steps + step];
  }
};

/// Elements of A - 1 [groups, states, states] packed for DenseScan.
template <class T>
int64_t DenseScanPackedSize(const DenseScanShape& shape);
template <class T>
void PackDenseScan(const DenseScanShape& shape, const T* a_minus_1, T* packed);

/// Elements of scratch that each walk needs.
template <class T>
int64_t DenseScanScratch(const DenseScanShape& shape);
template <class T>
int64_t DenseScanBackwardScratch(const DenseScanShape& shape);

/// h[t] = h[t-1] + (A - 1) h[t-1] + u[t], which keeps the digits of slow decays. u and h [rows,
/// steps, groups, states], h0 [rows, groups, states] the state before the first token (null: zero).
/// Where pos is 0 the state before is zero; where it is -1 it passes unchanged. A row's bits do not
/// depend on the rows beside it. For one step h may be h0. Cost 2 rows steps groups states^2 FLOPs.
template <class T>
void DenseScan(const DenseScanShape& shape, const T* packed, const T* u, const T* h0, T* h,
               T* scratch);

/// Adds to ga [groups, states, states], gu and gh0 (null: unwanted), given h, dL/dh (null: zero)
/// and dL/d(state after the last token) (null: zero). Twice the cost; the gradient of A is a
/// product for every few steps.
template <class T>
void DenseScanBackward(const DenseScanShape& shape, const T* a_minus_1, const T* h0, const T* h,
                       const T* gh, const T* glast, T* ga, T* gu, T* gh0, T* scratch);

}  // namespace ssm::kernels
