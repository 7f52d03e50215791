#include "ssm/autograd/ops/step_sizes.h"

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/pointwise.h"

namespace ssm {

template <Scalar T>
Var<T> StepSizes(Tape<T>& tape, Var<T> raw, const StepLimits& limits, Var<T> dt, T dt_scale,
                 const Clock& clock) {
  const Shape shape = tape.shape(raw);
  const int64_t n = shape.Back(0), tokens = clock.B * clock.T;
  const bool each = shape.rank() == 3;
  SSM_CHECK(each ? shape == Shape({clock.B, clock.T, n}) : shape == Shape({n}),
            "what steps are made from is [B, T, E] or [E], not " + shape.ToString());
  SSM_CHECK(!dt || tape.shape(dt) == Shape({clock.B, clock.T}), "dt is [B, T]");
  const Var<T> y = tape.New({clock.B, clock.T, n});
  const auto factor = [=](const T* times, int64_t token) {
    return times == nullptr ? dt_scale : dt_scale * times[token];
  };
  if (tape.Live()) {
    const T* times = internal::ValueOrNull(tape, dt);
    for (int64_t i = 0; i < tokens; ++i) {
      kernels::StepSizes(n, tape.value(raw) + (each ? i * n : 0), limits, factor(times, i),
                         tape.out(y) + i * n);
    }
  }
  const double flops = static_cast<double>(tokens * n) *
                       (kernels::ActivationFlops(kernels::Activation::kSoftplus) + 3);
  tape.Record("step_sizes", {raw, dt}, {y}, flops, [=](Tape<T>& t) {
    const T* times = internal::ValueOrNull(t, dt);
    T *g_raw = t.acc(raw), *g_dt = t.acc(dt);
    for (int64_t i = 0; i < tokens; ++i) {
      const int64_t at = each ? i * n : 0;
      const T g =
          kernels::StepSizesBackward<T>(n, t.value(raw) + at, limits, factor(times, i),
                                        t.grad(y) + i * n, g_raw == nullptr ? nullptr : g_raw + at);
      if (g_dt != nullptr) g_dt[i] += dt_scale * g;
    }
  });
  return y;
}

#define SSM_INSTANTIATE(T) \
  template Var<T> StepSizes(Tape<T>&, Var<T>, const StepLimits&, Var<T>, T, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
