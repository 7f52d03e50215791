#include "ssm/autograd/ops/squared_error.h"

#include "ssm/autograd/ops/weighted_sum.h"

namespace ssm {

template <Scalar T>
Var<T> SquaredError(Tape<T>& tape, Var<T> y, Var<T> target, Var<T> weight) {
  return WeightedSum(
      tape, "squared_error", y, target, weight, 4,
      [](T value, T want) {
        const double error = static_cast<double>(value) - static_cast<double>(want);
        return error * error;
      },
      [](T value, T want) { return 2 * (value - want); });
}

template Var<float> SquaredError(Tape<float>&, Var<float>, Var<float>, Var<float>);
template Var<double> SquaredError(Tape<double>&, Var<double>, Var<double>, Var<double>);

}  // namespace ssm
