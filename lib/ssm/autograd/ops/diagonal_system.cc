#include "ssm/autograd/ops/diagonal_system.h"

#include "ssm/base/errors.h"

namespace ssm::internal {

template <Scalar T>
DiagonalSizes SizesOf(const Tape<T>& tape, const DiscreteDiagonal<T>& system, Var<T> c) {
  const Shape shape = tape.shape(system.a_minus_1);
  SSM_CHECK(shape.rank() == 2 || (shape.rank() == 3 && shape[2] == 2),
            "a diagonal system is [D, M] or [D, M, 2], not " + shape.ToString());
  SSM_CHECK(tape.shape(system.b_bar) == shape, "A_bar and B_bar differ in shape");
  SSM_CHECK(!c || tape.shape(c) == shape,
            "C is " + tape.shape(c).ToString() + " where the system is " + shape.ToString());
  return {shape[0], shape[1], shape.rank() == 3};
}

Shape StateShape(const DiagonalSizes& sizes, int64_t rows) {
  const Shape shape{rows, sizes.channels, sizes.modes};
  return sizes.complex ? shape.Append(2) : shape;
}

template <Scalar T>
Tiles MakeTiles(Tape<T>& tape, const Clock& clock) {
  const kernels::TileCounts counts = kernels::CountTimeTiles(clock.B, clock.T, clock.pos.data());
  Tiles tiles{tape.NewInts(counts.tiles * kernels::TimeTiles::kInts), counts.checkpoints};
  kernels::FillTimeTiles(clock.B, clock.T, clock.pos.data(), tiles.flat.data());
  return tiles;
}

template <Scalar T>
kernels::DiagonalSystem<T> KernelView(const Tape<T>& tape, const DiagonalSizes& sizes,
                                      const DiscreteDiagonal<T>& system, Var<T> c, Var<T> skip) {
  return {sizes.channels,
          sizes.modes,
          sizes.complex,
          tape.value(system.a_minus_1),
          tape.value(system.b_bar),
          ValueOrNull(tape, c),
          ValueOrNull(tape, skip)};
}

namespace {

/// FLOPs a token, channel and mode.
template <Scalar T>
double ScanFlops(const ScanArguments<T>& arguments, bool complex) {
  const double number = complex ? 4 : 2;
  return (complex ? 8 : 2) + (arguments.x ? number : 0) + (arguments.c ? number : 0);
}

}  // namespace

template <Scalar T>
ScanResults<T> RecordScan(Tape<T>& tape, const ScanArguments<T>& arguments, const Clock& clock) {
  const DiagonalSizes sizes = SizesOf(tape, arguments.system, arguments.c);
  const int64_t rows = clock.B, steps = clock.T;
  const auto [name, x, c, skip, h0, system, want_last] = arguments;
  SSM_CHECK(!x || tape.shape(x) == (Shape{rows, steps, sizes.channels}),
            "a scan's input is [B, T, D], not " + tape.shape(x).ToString());
  SSM_CHECK(!h0 || tape.shape(h0) == StateShape(sizes, rows),
            "a scan's state is [B, D, M(, 2)], not " + tape.shape(h0).ToString());
  ScanResults<T> results;
  if (c) results.y = tape.New({rows, steps, sizes.channels});
  if (want_last) results.last = tape.New(StateShape(sizes, rows));
  const Tiles tiles = MakeTiles(tape, clock);
  const kernels::DiagonalSystem<T> shape{
      .channels = sizes.channels, .modes = sizes.modes, .complex = sizes.complex};
  T* scratch = tape.Floats(kernels::S4dScanScratch(shape));
  T* checkpoints = tape.mode() == Mode::kInfer
                       ? nullptr
                       : tape.Floats(tiles.checkpoints * kernels::S4dCheckpoint(shape));
  const auto [y, last] = results;
  const auto batch = [=, flat = tiles.flat](const Tape<T>& t) {
    return kernels::ScanBatch<T>{rows, steps, kernels::TimeTiles(flat), ValueOrNull(t, x),
                                 ValueOrNull(t, h0)};
  };
  if (tape.Live()) {
    kernels::S4dScan(KernelView(tape, sizes, system, c, skip), batch(tape),
                     y ? tape.out(y) : nullptr, last ? tape.out(last) : nullptr, checkpoints,
                     scratch);
  }
  const double flops = ScanFlops(arguments, sizes.complex) * static_cast<double>(rows * steps) *
                       static_cast<double>(sizes.channels * sizes.modes);
  const Var<T> b_bar = x ? system.b_bar : Var<T>{};
  const Var<T> in[] = {x, system.a_minus_1, b_bar, c, skip, h0};
  const Var<T> out[] = {y ? y : last, last};
  const auto backward = [=](Tape<T>& t) {
    const kernels::ScanGradients<T> gradients{
        t.acc(system.a_minus_1), t.acc(b_bar), t.acc(c), t.acc(skip), t.acc(x), t.acc(h0)};
    kernels::S4dScanBackward(KernelView(t, sizes, system, c, skip), batch(t),
                             static_cast<const T*>(checkpoints), GradOrNull(t, y),
                             GradOrNull(t, last), gradients, scratch);
  };
  tape.Record(name, std::span<const Var<T>>(in),
              std::span<const Var<T>>(out, y && last ? size_t{2} : size_t{1}), flops, backward);
  return results;
}

#define SSM_INSTANTIATE(T)                                                                    \
  template DiagonalSizes SizesOf(const Tape<T>&, const DiscreteDiagonal<T>&, Var<T>);         \
  template Tiles MakeTiles(Tape<T>&, const Clock&);                                           \
  template kernels::DiagonalSystem<T> KernelView(const Tape<T>&, const DiagonalSizes&,        \
                                                 const DiscreteDiagonal<T>&, Var<T>, Var<T>); \
  template ScanResults<T> RecordScan(Tape<T>&, const ScanArguments<T>&, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::internal
