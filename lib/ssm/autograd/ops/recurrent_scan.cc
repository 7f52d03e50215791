#include "ssm/autograd/ops/recurrent_scan.h"

#include <algorithm>

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/packed_product.h"

namespace ssm {
namespace {

using internal::GradOrNull;
using internal::ValueOrNull;

const char* NameOf(RecurrentCell cell) {
  switch (cell) {
    case RecurrentCell::kRnn:
      return "rnn_scan";
    case RecurrentCell::kGru:
      return "gru_scan";
    case RecurrentCell::kLstm:
      return "lstm_scan";
  }
  SSM_CHECK(false, "a recurrent cell that does not exist");
}

/// What the operation reads and writes, and the memory it took.
template <Scalar T>
struct Scan {
  RecurrentCell cell = RecurrentCell::kRnn;
  int64_t rows = 0, steps = 0, hidden = 0;
  Ints pos;
  Var<T> in, weight, bias, h0, c0, y, h, c;
  kernels::RecurrentTrace<T> trace;

  kernels::RecurrentShape shape() const { return {cell, rows, steps, hidden, pos.data()}; }
  /// "[4 H]"-like shapes, checked against what came in.
  void Check(const Tape<T>& tape) const;
  void Forward(Tape<T>& tape, T* packed, T* scratch) const;
  void Backward(Tape<T>& tape, T* scratch) const;
};

template <Scalar T>
void Scan<T>::Check(const Tape<T>& tape) const {
  const int64_t width = shape().width();
  const auto require = [&tape](Var<T> var, const Shape& shape, const char* what) {
    SSM_CHECK(!var || tape.shape(var) == shape, std::string(what) + " of a recurrent scan is " +
                                                    tape.shape(var).ToString() + ", not " +
                                                    shape.ToString());
  };
  require(in, {rows, steps, width}, "the input");
  require(weight, {width, hidden}, "the weight");
  require(bias, {width}, "the bias");
  require(h0, {rows, hidden}, "h0");
  require(c0, {rows, hidden}, "c0");
  SSM_CHECK(cell == RecurrentCell::kLstm || !c0, "c0 is of an lstm only");
}

template <Scalar T>
void Scan<T>::Forward(Tape<T>& tape, T* packed, T* scratch) const {
  const auto start = [&](Var<T> from, Var<T> to) {
    if (!to) return static_cast<T*>(nullptr);
    const int64_t n = rows * hidden;
    if (from) std::copy_n(tape.value(from), n, tape.out(to));
    if (!from) std::fill_n(tape.out(to), n, T{0});
    return tape.out(to);
  };
  T *state_h = start(h0, h), *state_c = start(c0, c);
  kernels::PackTransposed(hidden, shape().width(), tape.value(weight), ValueOrNull(tape, bias),
                          packed);
  kernels::RecurrentScan(shape(), packed, tape.value(in), state_h, state_c, tape.out(y), trace,
                         scratch);
}

template <Scalar T>
void Scan<T>::Backward(Tape<T>& tape, T* scratch) const {
  const kernels::RecurrentPass<T> pass{tape.value(weight), ValueOrNull(tape, h0),
                                       ValueOrNull(tape, c0), tape.value(y), trace};
  const kernels::RecurrentCotangents<T> cotangents{tape.grad(y), tape.grad(h), GradOrNull(tape, c)};
  const kernels::RecurrentGradients<T> gradients{tape.acc(in), tape.acc(weight), tape.acc(bias),
                                                 tape.acc(h0), tape.acc(c0)};
  kernels::RecurrentScanBackward(shape(), pass, cotangents, gradients, scratch);
}

}  // namespace

template <Scalar T>
RecurrentOutputs<T> RecurrentScan(Tape<T>& tape, RecurrentCell cell, Var<T> in, Var<T> weight,
                                  Var<T> bias, Var<T> h0, Var<T> c0, const Clock& clock) {
  const int64_t hidden = tape.shape(weight).Back(0);
  Scan<T> scan{cell, clock.B, clock.T, hidden, clock.pos, in, weight, bias, h0, c0, {}, {}, {}, {}};
  scan.Check(tape);
  const bool has_c = cell == RecurrentCell::kLstm;
  scan.y = tape.New({scan.rows, scan.steps, hidden});
  scan.h = tape.New({scan.rows, hidden});
  if (has_c) scan.c = tape.New({scan.rows, hidden});

  const kernels::RecurrentShape shape = scan.shape();
  T* packed = tape.Floats(kernels::PackedSize<T>(hidden, shape.width()));
  T* scratch = tape.Floats(kernels::RecurrentScratch<T>(shape));
  T* back = nullptr;
  if (tape.mode() != Mode::kInfer) {
    scan.trace = {tape.Floats(shape.tokens() * shape.width()),
                  tape.Floats(shape.tokens() * hidden)};
    back = tape.Floats(kernels::RecurrentBackwardScratch<T>(shape));
  }
  if (tape.Live()) scan.Forward(tape, packed, scratch);

  const double numbers = static_cast<double>(shape.tokens()) * static_cast<double>(hidden);
  const double flops =
      numbers * (2 * static_cast<double>(shape.width()) + kernels::GateFlops(cell));
  const Var<T> ins[] = {in, weight, bias, h0, c0};
  const Var<T> outs[] = {scan.y, scan.h, scan.c};
  tape.Record(NameOf(cell), std::span<const Var<T>>(ins),
              std::span<const Var<T>>(outs, has_c ? size_t{3} : size_t{2}), flops,
              [scan, back](Tape<T>& t) { scan.Backward(t, back); });
  return {scan.y, scan.h, scan.c};
}

#define SSM_INSTANTIATE(T)                                                                    \
  template RecurrentOutputs<T> RecurrentScan(Tape<T>&, RecurrentCell, Var<T>, Var<T>, Var<T>, \
                                             Var<T>, Var<T>, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
