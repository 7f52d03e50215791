#include "ssm/autograd/ops/cauchy_kernel.h"

#include <cmath>

#include "ssm/autograd/ops/dplr_system.h"
#include "ssm/kernels/cauchy_kernel.h"

namespace ssm {
namespace {

double Flops(const internal::DplrSizes& sizes, int64_t length) {
  const double points = static_cast<double>(kernels::CauchyPoints(length));
  const double channels = static_cast<double>(sizes.channels);
  return channels * points * (20 * static_cast<double>(sizes.modes) + 5 * std::log2(points));
}

}  // namespace

template <Scalar T>
Var<T> CauchyKernel(Tape<T>& tape, const DiscreteDplr<T>& system, Var<T> c, Var<T> skip,
                    int64_t length) {
  const internal::DplrSizes sizes = internal::SizesOf(tape, system, c);
  const kernels::DplrSystem<T> shape{.channels = sizes.channels, .modes = sizes.modes};
  const Var<T> kernel = tape.New({sizes.channels, length});
  T* scratch = tape.Floats(kernels::CauchyKernelScratch(shape, length));
  if (tape.Live()) {
    kernels::CauchyKernel(internal::KernelView(tape, sizes, system, c, skip), length,
                          tape.out(kernel), scratch);
  }
  const DiscreteDplr<T> s = system;
  tape.Record("cauchy_kernel", {s.a_minus_1, s.v, s.f, s.b, c, skip}, {kernel},
              Flops(sizes, length), [=](Tape<T>& t) {
                const kernels::DplrGradients<T> gradients{
                    t.acc(s.a_minus_1), t.acc(s.v), t.acc(s.f), t.acc(s.b), t.acc(c), t.acc(skip)};
                kernels::CauchyKernelBackward(internal::KernelView(t, sizes, s, c, skip), length,
                                              t.grad(kernel), gradients, scratch);
              });
  return kernel;
}

#define SSM_INSTANTIATE(T) \
  template Var<T> CauchyKernel(Tape<T>&, const DiscreteDplr<T>&, Var<T>, Var<T>, int64_t);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
