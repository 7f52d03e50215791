// One token of a diagonal minus rank-one system.
#pragma once

#include "ssm/kernels/dplr_system.h"

namespace ssm::kernels {

/// One channel's coefficients, real and imaginary parts apart, `modes` numbers each.
template <class T>
struct DplrChannel {
  T *a_re = nullptr, *a_im = nullptr;  // a - 1
  T *v_re = nullptr, *v_im = nullptr;
  T *f_re = nullptr, *f_im = nullptr;  // 2 f
  T *b_re = nullptr, *b_im = nullptr;
  T *c_re = nullptr, *c_im = nullptr;  // 2 c
};

/// Elements of storage for one channel.
constexpr int64_t DplrChannelSize(int64_t modes) { return 10 * modes; }
/// The rows of a channel's storage.
template <class T>
DplrChannel<T> DplrChannelIn(T* storage, int64_t modes);
/// Copies channel `d` of a system; what the system lacks is 0.
template <class T>
void LoadDplrChannel(const DplrSystem<T>& system, int64_t d, const DplrChannel<T>& channel);

template <class T>
struct DplrOutput {
  T phi = 0;  // of the state before
  T y = 0;    // 2 Re sum c_n next_n
};

/// next = a x - v phi(x) + b u, [modes, 2] each; they may be the same array. Cost 26 FLOPs a mode.
template <class T>
DplrOutput<T> StepDplr(const DplrChannel<T>& channel, int64_t modes, T u, const T* x, T* next);

}  // namespace ssm::kernels
