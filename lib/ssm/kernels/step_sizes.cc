#include "ssm/kernels/step_sizes.h"

#include "ssm/kernels/elementary.h"

namespace ssm::kernels {
namespace {

/// NaN stays.
template <class T>
inline T Clamp(T x, T least, T most) {
  const T raised = x < least ? least : x;
  return raised > most ? most : raised;
}

}  // namespace

template <class T>
void StepSizes(int64_t n, const T* raw, const StepLimits& limits, T factor, T* dt) {
  const T least = static_cast<T>(limits.least), most = static_cast<T>(limits.most);
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) dt[i] = factor * Clamp(Softplus(raw[i]), least, most);
}

template <class T>
T StepSizesBackward(int64_t n, const T* raw, const StepLimits& limits, T factor, const T* g_dt,
                    T* g_raw) {
  const T least = static_cast<T>(limits.least), most = static_cast<T>(limits.most);
  T g_factor = 0;
#pragma omp simd reduction(+ : g_factor)
  for (int64_t i = 0; i < n; ++i) g_factor += g_dt[i] * Clamp(Softplus(raw[i]), least, most);
  if (g_raw == nullptr) return g_factor;
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const T softplus = Softplus(raw[i]);
    const T slope = softplus < least || softplus > most ? T{0} : Sigmoid(raw[i]);
    g_raw[i] += factor * slope * g_dt[i];
  }
  return g_factor;
}

#define SSM_INSTANTIATE(T)                                              \
  template void StepSizes(int64_t, const T*, const StepLimits&, T, T*); \
  template T StepSizesBackward(int64_t, const T*, const StepLimits&, T, const T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
