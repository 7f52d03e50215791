#include "ssm/autograd/ops/discretize_memory.h"

#include <cmath>

#include "ssm/autograd/ops/doubles.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/discretize_dense.h"

namespace ssm {
namespace {

template <Scalar T>
double LengthOf(const Tape<T>& tape, const MemoryStep<T>& step) {
  return step.log_dt ? step.dt * std::exp(static_cast<double>(tape.value(step.log_dt)[0]))
                     : step.dt;
}

}  // namespace

template <Scalar T>
DiscreteMemory<T> DiscretizeMemory(Tape<T>& tape, const MemoryStep<T>& step) {
  SSM_CHECK(!step.log_dt || tape.shape(step.log_dt) == Shape{1}, "log_dt is [1]");
  const int64_t n = step.system.order;
  const DiscreteMemory<T> out{tape.New({n, n}), tape.New({n})};
  double* exact = internal::Doubles(tape, n * n + n);
  double* scratch = internal::Doubles(tape, kernels::DiscretizeMemoryScratch(n));
  double* slope = step.log_dt ? internal::Doubles(tape, n * n + n) : nullptr;
  if (tape.Live()) {
    kernels::DiscretizeMemory(step.rule, LengthOf(tape, step), step.system, exact, exact + n * n,
                              scratch);
    internal::StoreDoubles(exact, 0, n * n, tape.out(out.a_minus_1));
    internal::StoreDoubles(exact + n * n, 0, n, tape.out(out.b_bar));
  }
  const double flops = kernels::DiscretizeDenseFlops({n, 1}, kernels::DenseRuleOf(step.rule));
  tape.Record(
      "discretize_memory", {step.log_dt}, {out.a_minus_1, out.b_bar}, flops, [=](Tape<T>& t) {
        T* into = t.acc(step.log_dt);
        if (into == nullptr) return;
        kernels::DiscretizeMemorySlope(step.rule, step.system, exact, slope, slope + n * n,
                                       scratch);
        const auto add = [&](Var<T> var, const double* d, int64_t size) {
          double sum = 0;
          const T* g = t.grad(var);
          for (int64_t i = 0; g != nullptr && i < size; ++i) {
            sum += static_cast<double>(g[i]) * d[i];
          }
          return sum;
        };
        const double sum = add(out.a_minus_1, slope, n * n) + add(out.b_bar, slope + n * n, n);
        *into += static_cast<T>(LengthOf(t, step) * sum);
      });
  return out;
}

template DiscreteMemory<float> DiscretizeMemory(Tape<float>&, const MemoryStep<float>&);
template DiscreteMemory<double> DiscretizeMemory(Tape<double>&, const MemoryStep<double>&);

}  // namespace ssm
