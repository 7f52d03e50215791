#include "ssm/autograd/ops/discretize_dplr.h"

#include <algorithm>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

constexpr double kFlops = 60;  // a mode

template <Scalar T>
kernels::DplrParameterView<T> View(const Tape<T>& tape, const DplrParameters<T>& p) {
  const Shape modes = tape.shape(p.log_a_real);
  return {modes[0],
          modes[1],
          tape.value(p.log_dt),
          tape.value(p.log_a_real),
          tape.value(p.a_imag),
          tape.value(p.p),
          tape.value(p.b),
          p.dt_scale};
}

template <Scalar T>
void CheckShapes(const Tape<T>& tape, const DplrParameters<T>& p) {
  const Shape modes = tape.shape(p.log_a_real);
  SSM_CHECK(modes.rank() == 2 && tape.shape(p.log_dt) == Shape{modes[0]},
            "log_A_real is [D, M] and log_dt [D], not " + modes.ToString() + " and " +
                tape.shape(p.log_dt).ToString());
  SSM_CHECK(tape.shape(p.a_imag) == modes, "A_imag is not shaped as log_A_real");
  for (const Var<T> var : {p.p, p.b}) {
    SSM_CHECK(tape.shape(var) == modes.Append(2),
              "P and B are [D, M, 2], not " + tape.shape(var).ToString());
  }
}

}  // namespace

template <Scalar T>
DiscreteDplr<T> DiscretizeDplr(Tape<T>& tape, const DplrParameters<T>& parameters) {
  const DplrParameters<T> p = parameters;
  CheckShapes(tape, p);
  const Shape numbers = tape.shape(p.p);
  const DiscreteDplr<T> steps{tape.New(numbers), tape.New(numbers), tape.New(numbers),
                              tape.New(numbers)};
  T* zeros = tape.Floats(numbers.size());  // stands for a gradient that did not arrive
  T* sink = tape.Floats(numbers.size());   // takes gradients nobody wants
  if (tape.Live()) {
    kernels::DiscretizeDplr<T>(View(tape, p), {tape.out(steps.a_minus_1), tape.out(steps.v),
                                               tape.out(steps.f), tape.out(steps.b)});
    std::fill_n(zeros, numbers.size(), T{0});
    std::fill_n(sink, numbers.size(), T{0});
  }
  const auto backward = [=](Tape<T>& t) {
    const auto given = [&](Var<T> var) -> const T* {
      return t.grad(var) == nullptr ? zeros : t.grad(var);
    };
    const auto wanted = [&](Var<T> var) { return t.acc(var) == nullptr ? sink : t.acc(var); };
    kernels::DiscretizeDplrBackward<T>(
        View(t, p), {given(steps.a_minus_1), given(steps.v), given(steps.f), given(steps.b)},
        {wanted(p.log_dt), wanted(p.log_a_real), wanted(p.a_imag), wanted(p.p), wanted(p.b)});
  };
  tape.Record("discretize_dplr", {p.log_dt, p.log_a_real, p.a_imag, p.p, p.b},
              {steps.a_minus_1, steps.v, steps.f, steps.b},
              0.5 * kFlops * static_cast<double>(numbers.size()), backward);
  return steps;
}

template DiscreteDplr<float> DiscretizeDplr(Tape<float>&, const DplrParameters<float>&);
template DiscreteDplr<double> DiscretizeDplr(Tape<double>&, const DplrParameters<double>&);

}  // namespace ssm
