#include "ssm/kernels/dplr_step.h"

namespace ssm::kernels {
namespace {

/// factor times a [modes, 2], parts apart; zeros for null.
template <class T>
void Split(const T* pairs, int64_t modes, T factor, T* re, T* im) {
  for (int64_t n = 0; n < modes; ++n) {
    re[n] = pairs == nullptr ? 0 : factor * pairs[2 * n];
    im[n] = pairs == nullptr ? 0 : factor * pairs[2 * n + 1];
  }
}

}  // namespace

template <class T>
DplrChannel<T> DplrChannelIn(T* storage, int64_t modes) {
  const auto row = [&](int64_t k) { return storage + k * modes; };
  return {row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7), row(8), row(9)};
}

template <class T>
void LoadDplrChannel(const DplrSystem<T>& system, int64_t d, const DplrChannel<T>& channel) {
  const int64_t modes = system.modes;
  const auto load = [&](const T* array, T factor, T* re, T* im) {
    Split(array == nullptr ? nullptr : array + 2 * d * modes, modes, factor, re, im);
  };
  load(system.a_minus_1, 1, channel.a_re, channel.a_im);
  load(system.v, 1, channel.v_re, channel.v_im);
  load(system.f, 2, channel.f_re, channel.f_im);
  load(system.b, 1, channel.b_re, channel.b_im);
  load(system.c, 2, channel.c_re, channel.c_im);
}

template <class T>
DplrOutput<T> StepDplr(const DplrChannel<T>& channel, int64_t modes, T u, const T* x, T* next) {
  const auto [a_re, a_im, v_re, v_im, f_re, f_im, b_re, b_im, c_re, c_im] = channel;
  T phi = 0, y = 0;
#pragma omp simd reduction(+ : phi)
  for (int64_t n = 0; n < modes; ++n) phi += f_re[n] * x[2 * n] - f_im[n] * x[2 * n + 1];
#pragma omp simd reduction(+ : y)
  for (int64_t n = 0; n < modes; ++n) {
    const T re = x[2 * n], im = x[2 * n + 1];
    const T next_re = re + (a_re[n] * re - a_im[n] * im) + (b_re[n] * u - v_re[n] * phi);
    const T next_im = im + (a_re[n] * im + a_im[n] * re) + (b_im[n] * u - v_im[n] * phi);
    next[2 * n] = next_re;
    next[2 * n + 1] = next_im;
    y += c_re[n] * next_re - c_im[n] * next_im;
  }
  return {phi, y};
}

#define SSM_INSTANTIATE(T)                                                             \
  template DplrChannel<T> DplrChannelIn(T*, int64_t);                                  \
  template void LoadDplrChannel(const DplrSystem<T>&, int64_t, const DplrChannel<T>&); \
  template DplrOutput<T> StepDplr(const DplrChannel<T>&, int64_t, T, const T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
