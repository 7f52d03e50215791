#include "ssm/autograd/ops/s4d_scan_irregular.h"

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/s4d_irregular.h"

namespace ssm {
namespace {

/// FLOPs a token, channel and mode: the discretisation and the scan.
constexpr double kFlopsComplex = 76;
constexpr double kFlopsReal = 46;

template <Scalar T>
kernels::IrregularSystem<T> View(const Tape<T>& tape, const internal::DiagonalSizes& sizes,
                                 const DiagonalParameters<T>& p, Var<T> c, Var<T> skip, Var<T> dt) {
  using internal::ValueOrNull;
  return {{sizes.channels, sizes.modes, tape.value(p.log_dt), tape.value(p.log_a_real),
           ValueOrNull(tape, p.a_imag), p.dt_scale},
          p.rule,
          {sizes.channels, sizes.modes, sizes.complex, nullptr, nullptr, tape.value(c),
           ValueOrNull(tape, skip)},
          tape.value(dt)};
}

}  // namespace

template <Scalar T>
ScanOutputs<T> S4dScanIrregular(Tape<T>& tape, Var<T> x, Var<T> dt,
                                const DiagonalParameters<T>& parameters, Var<T> c, Var<T> skip,
                                Var<T> h0, const Clock& clock) {
  const DiagonalParameters<T> p = parameters;
  const Shape shape = tape.shape(p.log_a_real);
  const internal::DiagonalSizes sizes{shape[0], shape[1], static_cast<bool>(p.a_imag)};
  const int64_t rows = clock.B, steps = clock.T;
  const Shape state = internal::StateShape(sizes, rows);
  SSM_CHECK(tape.shape(dt) == (Shape{rows, steps}), "dt is [B, T]");
  SSM_CHECK(tape.shape(x) == (Shape{rows, steps, sizes.channels}), "a scan's input is [B, T, D]");
  SSM_CHECK(!h0 || tape.shape(h0) == state, "a scan's state is [B, D, M(, 2)]");
  const Var<T> y = tape.New({rows, steps, sizes.channels}), last = tape.New(state);
  const internal::Tiles tiles = internal::MakeTiles(tape, clock);
  // Sizes only: nothing of it is read.
  const kernels::IrregularSystem<T> layout{
      {.channels = sizes.channels, .modes = sizes.modes},
      p.rule,
      {.channels = sizes.channels, .modes = sizes.modes, .complex = sizes.complex},
      nullptr};
  T* scratch = tape.Floats(kernels::S4dIrregularScratch(layout));
  T* checkpoints = tape.mode() == Mode::kInfer
                       ? nullptr
                       : tape.Floats(tiles.checkpoints * kernels::S4dCheckpoint(layout.output));
  const auto batch = [=, flat = tiles.flat](const Tape<T>& t) {
    return kernels::ScanBatch<T>{rows, steps, kernels::TimeTiles(flat), t.value(x),
                                 internal::ValueOrNull(t, h0)};
  };
  if (tape.Live()) {
    kernels::S4dIrregularScan(View(tape, sizes, p, c, skip, dt), batch(tape), tape.out(y),
                              tape.out(last), checkpoints, scratch);
  }
  const double flops = (sizes.complex ? kFlopsComplex : kFlopsReal) *
                       static_cast<double>(rows * steps) *
                       static_cast<double>(sizes.channels * sizes.modes);
  tape.Record("s4d_scan_irregular", {x, dt, p.log_dt, p.log_a_real, p.a_imag, c, skip, h0},
              {y, last}, flops, [=](Tape<T>& t) {
                const kernels::IrregularGradients<T> gradients{
                    t.acc(p.log_dt), t.acc(p.log_a_real), t.acc(p.a_imag), t.acc(c), t.acc(skip),
                    t.acc(x),        t.acc(h0),           t.acc(dt)};
                kernels::S4dIrregularBackward(View(t, sizes, p, c, skip, dt), batch(t),
                                              static_cast<const T*>(checkpoints), t.grad(y),
                                              t.grad(last), gradients, scratch);
              });
  return {y, last};
}

#define SSM_INSTANTIATE(T)                                                                         \
  template ScanOutputs<T> S4dScanIrregular(Tape<T>&, Var<T>, Var<T>, const DiagonalParameters<T>&, \
                                           Var<T>, Var<T>, Var<T>, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
