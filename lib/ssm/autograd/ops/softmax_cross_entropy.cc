#include "ssm/autograd/ops/softmax_cross_entropy.h"

#include "ssm/autograd/ops/shapes.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/elementary.h"
#include "ssm/kernels/softmax.h"

namespace ssm {
namespace {

constexpr double kFlops = 24;

/// The class id of token i as an index. @throws Error(kBadData).
template <Scalar T>
int64_t ClassId(T target, int64_t classes, int64_t token, int64_t steps) {
  const bool valid = target >= 0 && target < static_cast<T>(classes);
  const int64_t id = valid ? static_cast<int64_t>(target) : -1;
  if (!valid || static_cast<T>(id) != target) {
    Fail(ExitCode::kBadData, "row " + std::to_string(token / steps) + ", step " +
                                 std::to_string(token % steps) + ": target class " +
                                 std::to_string(target) + ", allowed are the integers 0 to " +
                                 std::to_string(classes - 1));
  }
  return id;
}

/// gy += scale (softmax(y) - one hot).
template <Scalar T>
void TokenGradient(int64_t classes, const T* y, int64_t id, T lse, T scale, T* gy) {
#pragma omp simd
  for (int64_t o = 0; o < classes; ++o) gy[o] += scale * kernels::Exp(y[o] - lse);
  gy[id] -= scale;
}

}  // namespace

template <Scalar T>
Var<T> SoftmaxCrossEntropy(Tape<T>& tape, Var<T> y, Var<T> target, Var<T> weight) {
  const Shape shape = tape.shape(y);
  const int64_t tokens = RowCount(shape), classes = shape.Back(0), steps = shape.Back(1);
  SSM_CHECK(tape.shape(target).size() == tokens && tape.shape(weight).size() == tokens,
            "targets " + tape.shape(target).ToString() + " and weights " +
                tape.shape(weight).ToString() + " meet logits " + shape.ToString());
  const Var<T> loss = tape.New({1});
  T* lse = tape.Floats(tokens);
  if (tape.Live()) {
    const T *values = tape.value(y), *targets = tape.value(target), *w = tape.value(weight);
    double sum = 0;
    for (int64_t i = 0; i < tokens; ++i) {
      if (w[i] == 0) continue;
      const int64_t id = ClassId(targets[i], classes, i, steps);
      kernels::LogSumExp(1, classes, values + i * classes, lse + i);
      sum += static_cast<double>(w[i]) *
             (static_cast<double>(lse[i]) - static_cast<double>(values[i * classes + id]));
    }
    tape.out(loss)[0] = static_cast<T>(sum);
  }
  tape.Record("softmax_cross_entropy", {y, target, weight}, {loss},
              kFlops * static_cast<double>(shape.size()), [=](Tape<T>& t) {
                T* gy = t.acc(y);
                const T *values = t.value(y), *targets = t.value(target), *w = t.value(weight);
                for (int64_t i = 0; gy != nullptr && i < tokens; ++i) {
                  if (w[i] == 0) continue;
                  TokenGradient(classes, values + i * classes, static_cast<int64_t>(targets[i]),
                                lse[i], t.grad(loss)[0] * w[i], gy + i * classes);
                }
              });
  return loss;
}

template Var<float> SoftmaxCrossEntropy(Tape<float>&, Var<float>, Var<float>, Var<float>);
template Var<double> SoftmaxCrossEntropy(Tape<double>&, Var<double>, Var<double>, Var<double>);

}  // namespace ssm
