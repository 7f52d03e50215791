#include "ssm/autograd/ops/s4d_kernel.h"

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/kernels/s4d_kernel.h"

namespace ssm {

template <Scalar T>
Var<T> S4dKernel(Tape<T>& tape, const DiscreteDiagonal<T>& system, Var<T> c, Var<T> skip,
                 int64_t length) {
  const internal::DiagonalSizes sizes = internal::SizesOf(tape, system, c);
  const kernels::DiagonalSystem<T> shape{
      .channels = sizes.channels, .modes = sizes.modes, .complex = sizes.complex};
  const Var<T> kernel = tape.New({sizes.channels, length});
  T* scratch = tape.Floats(kernels::S4dKernelScratch(shape, length));
  if (tape.Live()) {
    kernels::S4dKernel(internal::KernelView(tape, sizes, system, c, skip), length, tape.out(kernel),
                       scratch);
  }
  const double flops = (sizes.complex ? 4.0 : 2.0) *
                       static_cast<double>(sizes.channels * sizes.modes) *
                       static_cast<double>(length);
  const DiscreteDiagonal<T> s = system;
  tape.Record("s4d_kernel", {s.a_minus_1, s.b_bar, c, skip}, {kernel}, flops, [=](Tape<T>& t) {
    const kernels::ScanGradients<T> gradients{.a_minus_1 = t.acc(s.a_minus_1),
                                              .b_bar = t.acc(s.b_bar),
                                              .c = t.acc(c),
                                              .skip = t.acc(skip)};
    kernels::S4dKernelBackward(internal::KernelView(t, sizes, s, c, skip), length, t.grad(kernel),
                               gradients, scratch);
  });
  return kernel;
}

#define SSM_INSTANTIATE(T) \
  template Var<T> S4dKernel(Tape<T>&, const DiscreteDiagonal<T>&, Var<T>, Var<T>, int64_t);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
