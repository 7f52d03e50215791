// The steps a selective layer takes from token to token.
#pragma once

#include <cstdint>
#include <limits>

namespace ssm::kernels {

/// What softplus is clamped to.
struct StepLimits {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
};

/// dt [n] = factor clamp(log(1 + e^raw), least, most): one token's steps.
template <class T>
void StepSizes(int64_t n, const T* raw, const StepLimits& limits, T factor, T* dt);

/// Adds to g_raw (null: unwanted), nothing where the clamp holds; returns dL/dfactor.
template <class T>
T StepSizesBackward(int64_t n, const T* raw, const StepLimits& limits, T factor, const T* g_dt,
                    T* g_raw);

}  // namespace ssm::kernels
