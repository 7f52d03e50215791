#include "ssm/autograd/ops/matrix_state.h"

#include <algorithm>
#include <string>

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"

namespace ssm {
namespace {

using internal::GradOrNull;
using internal::ValueOrNull;
using kernels::MatrixStateShape;
using kernels::TokenColumns;

/// What the operation reads and writes, and the memory it took.
template <Scalar T>
struct Pass {
  MatrixStateArguments<T> arguments;
  int64_t rows = 0, steps = 0;
  Ints pos;
  Var<T> y, last;
  T* kept = nullptr;

  MatrixStateShape shape() const {
    const MatrixStateArguments<T>& a = arguments;
    return {a.decay, rows,    steps,  a.heads, a.groups,  a.d_k,
            a.d_v,   a.chunk, a.ones, a.scale, pos.data()};
  }
  void Check(const Tape<T>& tape) const;
  kernels::MatrixStateInputs<T> Inputs(const Tape<T>& tape) const;
  void Forward(Tape<T>& tape, T* scratch) const;
  void Backward(Tape<T>& tape, T* scratch) const;
};

template <Scalar T>
void Pass<T>::Check(const Tape<T>& tape) const {
  const MatrixStateArguments<T>& a = arguments;
  SSM_CHECK(a.heads % a.groups == 0 && a.chunk >= 1, "heads of a matrix state in unequal groups");
  const auto require = [&](const TapeColumns<T>& columns, int64_t width, const char* what) {
    if (!columns.from) return;
    const Shape& from = tape.shape(columns.from);
    SSM_CHECK(from.rank() == 3 && from[0] == rows && from[1] == steps && columns.first >= 0 &&
                  columns.first + width <= from[2],
              std::string(what) + " of a matrix state are not in " + from.ToString());
  };
  require(a.q, a.groups * a.d_k, "queries");
  require(a.k, a.groups * a.d_k, "keys");
  require(a.v, a.heads * a.d_v, "values");
  require(a.log_decay, shape().decays(), "decays");
  SSM_CHECK((a.decay != MatrixDecay::kNone) == (a.log_decay.from || a.fixed != nullptr),
            "a matrix state and its decays disagree");
  SSM_CHECK(!a.before || tape.shape(a.before) == Shape({rows, a.heads, a.d_k, shape().columns()}),
            "the state before is not that of a matrix state");
}

template <Scalar T>
TokenColumns<const T> View(const Tape<T>& tape, const TapeColumns<T>& columns) {
  if (!columns.from) return {};
  return {tape.value(columns.from) + columns.first, tape.shape(columns.from)[2]};
}

template <Scalar T>
TokenColumns<T> Gradient(Tape<T>& tape, const TapeColumns<T>& columns) {
  T* grad = columns.from ? tape.acc(columns.from) : nullptr;
  if (grad == nullptr) return {};
  return {grad + columns.first, tape.shape(columns.from)[2]};
}

template <Scalar T>
kernels::MatrixStateInputs<T> Pass<T>::Inputs(const Tape<T>& tape) const {
  const MatrixStateArguments<T>& a = arguments;
  kernels::MatrixStateInputs<T> in{View(tape, a.q), View(tape, a.k), View(tape, a.v),
                                   View(tape, a.log_decay)};
  if (a.fixed != nullptr) in.log_decay = {a.fixed, 0};
  return in;
}

template <Scalar T>
void Pass<T>::Forward(Tape<T>& tape, T* scratch) const {
  const MatrixStateShape s = shape();
  const int64_t size = rows * s.state_size();
  T* state = tape.out(last);
  if (arguments.before) std::copy_n(tape.value(arguments.before), size, state);
  if (!arguments.before) std::fill_n(state, size, T{0});
  kernels::MatrixStateForward(s, Inputs(tape), state, tape.out(y), kept, scratch);
}

template <Scalar T>
void Pass<T>::Backward(Tape<T>& tape, T* scratch) const {
  const MatrixStateArguments<T>& a = arguments;
  const kernels::MatrixStatePass<T> pass{Inputs(tape), ValueOrNull(tape, a.before), kept,
                                         tape.grad(y), tape.grad(last)};
  const kernels::MatrixStateGradients<T> gradients{Gradient(tape, a.q), Gradient(tape, a.k),
                                                   Gradient(tape, a.v), Gradient(tape, a.log_decay),
                                                   tape.acc(a.before)};
  kernels::MatrixStateBackward(shape(), pass, gradients, scratch);
}

}  // namespace

template <Scalar T>
MatrixStateOutputs<T> MatrixState(Tape<T>& tape, const MatrixStateArguments<T>& arguments,
                                  const Clock& clock) {
  Pass<T> pass{arguments, clock.B, clock.T, clock.pos, {}, {}, nullptr};
  pass.Check(tape);
  const MatrixStateShape shape = pass.shape();
  if (arguments.fixed != nullptr) {
    T* copy = tape.Floats(shape.heads);
    if (tape.Live()) std::copy_n(arguments.fixed, shape.heads, copy);
    pass.arguments.fixed = copy;
  }
  pass.y = tape.New({clock.B, clock.T, shape.heads * shape.columns()});
  pass.last = tape.New({clock.B, shape.heads, shape.d_k, shape.columns()});
  T* scratch = tape.Floats(kernels::MatrixStateScratch(shape));
  T* back = nullptr;
  if (tape.mode() != Mode::kInfer) {
    pass.kept = tape.Floats(clock.B * shape.kept() * shape.state_size());
    back = tape.Floats(kernels::MatrixStateBackwardScratch(shape));
  }
  if (tape.Live()) pass.Forward(tape, scratch);
  const kernels::MatrixStateFlops flops = kernels::CountFlops(shape);
  const MatrixStateArguments<T>& a = arguments;
  tape.Record("matrix_state", {a.q.from, a.k.from, a.v.from, a.log_decay.from, a.before},
              {pass.y, pass.last}, FlopCount(flops.total, flops.products),
              [pass, back](Tape<T>& t) { pass.Backward(t, back); });
  return {pass.y, pass.last};
}

template MatrixStateOutputs<float> MatrixState(Tape<float>&, const MatrixStateArguments<float>&,
                                               const Clock&);
template MatrixStateOutputs<double> MatrixState(Tape<double>&, const MatrixStateArguments<double>&,
                                                const Clock&);

}  // namespace ssm
