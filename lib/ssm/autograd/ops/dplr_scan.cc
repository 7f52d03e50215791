#include "ssm/autograd/ops/dplr_scan.h"

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/autograd/ops/dplr_system.h"
#include "ssm/kernels/dplr_scan.h"

namespace ssm {
namespace {

constexpr double kFlops = 26;  // a token, channel and mode

template <Scalar T>
void CheckShapes(const Tape<T>& tape, const DplrScanArguments<T>& arguments, const Clock& clock,
                 const internal::DplrSizes& sizes) {
  SSM_CHECK(!arguments.u || tape.shape(arguments.u) == (Shape{clock.B, clock.T, sizes.channels}),
            "a scan's input is [B, T, D], not " + tape.shape(arguments.u).ToString());
  SSM_CHECK(
      !arguments.x0 || tape.shape(arguments.x0) == (Shape{clock.B, sizes.channels, sizes.modes, 2}),
      "a scan's state is [B, D, M, 2], not " + tape.shape(arguments.x0).ToString());
  SSM_CHECK(arguments.c || arguments.want_last, "a scan without output is asked for its state");
}

}  // namespace

template <Scalar T>
DplrScanOutputs<T> DplrScan(Tape<T>& tape, const DiscreteDplr<T>& system,
                            const DplrScanArguments<T>& arguments, const Clock& clock) {
  const internal::DplrSizes sizes = internal::SizesOf(tape, system, arguments.c);
  CheckShapes(tape, arguments, clock, sizes);
  const auto [u, c, skip, x0, want_last] = arguments;
  const int64_t rows = clock.B, steps = clock.T;
  Var<T> y, last;
  if (c) y = tape.New({rows, steps, sizes.channels});
  if (want_last) last = tape.New({rows, sizes.channels, sizes.modes, 2});
  const internal::Tiles tiles = internal::MakeTiles(tape, clock);
  const kernels::DplrSystem<T> shape{.channels = sizes.channels, .modes = sizes.modes};
  T* scratch = tape.Floats(kernels::DplrScanScratch(shape));
  T* checkpoints = tape.mode() == Mode::kInfer
                       ? nullptr
                       : tape.Floats(tiles.checkpoints * kernels::DplrCheckpoint(shape));
  const auto batch = [=, flat = tiles.flat](const Tape<T>& t) {
    return kernels::DplrBatch<T>{rows, steps, kernels::TimeTiles(flat), internal::ValueOrNull(t, u),
                                 internal::ValueOrNull(t, x0)};
  };
  const DiscreteDplr<T> s = system;
  if (tape.Live()) {
    kernels::DplrScan(internal::KernelView(tape, sizes, s, c, skip), batch(tape),
                      y ? tape.out(y) : nullptr, last ? tape.out(last) : nullptr, checkpoints,
                      scratch);
  }
  const double flops = kFlops * static_cast<double>(rows * steps) *
                       static_cast<double>(sizes.channels * sizes.modes);
  const Var<T> b = u ? s.b : Var<T>{};
  const Var<T> in[] = {u, s.a_minus_1, s.v, s.f, b, c, skip, x0};
  const Var<T> out[] = {y ? y : last, last};
  const auto backward = [=](Tape<T>& t) {
    const kernels::DplrGradients<T> gradients{t.acc(s.a_minus_1), t.acc(s.v), t.acc(s.f),
                                              t.acc(b),           t.acc(c),   t.acc(skip)};
    kernels::DplrScanBackward(internal::KernelView(t, sizes, s, c, skip), batch(t),
                              static_cast<const T*>(checkpoints), internal::GradOrNull(t, y),
                              internal::GradOrNull(t, last), gradients, {t.acc(u), t.acc(x0)},
                              scratch);
  };
  tape.Record("dplr_scan", std::span<const Var<T>>(in),
              std::span<const Var<T>>(out, y && last ? size_t{2} : size_t{1}), flops, backward);
  return {y, last};
}

#define SSM_INSTANTIATE(T)                                               \
  template DplrScanOutputs<T> DplrScan(Tape<T>&, const DiscreteDplr<T>&, \
                                       const DplrScanArguments<T>&, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
