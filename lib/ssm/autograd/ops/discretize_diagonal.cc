#include "ssm/autograd/ops/discretize_diagonal.h"

#include <algorithm>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

constexpr double kFlops = 60;  // a mode

template <Scalar T>
kernels::DiagonalParameterView<T> View(const Tape<T>& tape, const DiagonalParameters<T>& p,
                                       int64_t channels, int64_t modes) {
  return {channels,
          modes,
          tape.value(p.log_dt),
          tape.value(p.log_a_real),
          p.a_imag ? tape.value(p.a_imag) : nullptr,
          p.dt_scale};
}

}  // namespace

template <Scalar T>
DiscreteDiagonal<T> DiscretizeDiagonal(Tape<T>& tape, const DiagonalParameters<T>& parameters) {
  const DiagonalParameters<T> p = parameters;
  const Shape shape = tape.shape(p.log_a_real);
  SSM_CHECK((shape.rank() == 1 || shape.rank() == 2) && tape.shape(p.log_dt) == Shape{shape[0]},
            "log_A_real is [D, M] or [M] and log_dt [D] or [M], not " + shape.ToString() + " and " +
                tape.shape(p.log_dt).ToString());
  SSM_CHECK(!p.a_imag || tape.shape(p.a_imag) == shape, "A_imag is not shaped as log_A_real");
  const int64_t channels = shape[0], modes = shape.rank() == 2 ? shape[1] : 1;
  const Shape numbers = p.a_imag ? shape.Append(2) : shape;
  const Var<T> a = tape.New(numbers), b = tape.New(numbers);
  T* zeros = tape.Floats(numbers.size());  // stands for a gradient that did not arrive
  T* sink = tape.Floats(numbers.size());   // takes gradients nobody wants
  if (tape.Live()) {
    kernels::Discretize(p.rule, View(tape, p, channels, modes), tape.out(a), tape.out(b));
    std::fill_n(zeros, numbers.size(), T{0});
    std::fill_n(sink, numbers.size(), T{0});
  }
  const auto backward = [=](Tape<T>& t) {
    const auto given = [&](Var<T> var) { return t.grad(var) == nullptr ? zeros : t.grad(var); };
    const auto wanted = [&](Var<T> var) { return t.acc(var) == nullptr ? sink : t.acc(var); };
    kernels::DiscretizeBackward(p.rule, View(t, p, channels, modes), given(a), given(b),
                                wanted(p.log_dt), wanted(p.log_a_real), wanted(p.a_imag));
  };
  tape.Record("discretize_diagonal", {p.log_dt, p.log_a_real, p.a_imag}, {a, b},
              kFlops * static_cast<double>(channels * modes), backward);
  return {a, b};
}

template DiscreteDiagonal<float> DiscretizeDiagonal(Tape<float>&, const DiagonalParameters<float>&);
template DiscreteDiagonal<double> DiscretizeDiagonal(Tape<double>&,
                                                     const DiagonalParameters<double>&);

}  // namespace ssm
