#include "ssm/autograd/ops/binary_cross_entropy.h"

#include "ssm/autograd/ops/weighted_sum.h"
#include "ssm/kernels/elementary.h"
#include "ssm/kernels/pointwise.h"

namespace ssm {

template <Scalar T>
Var<T> BinaryCrossEntropy(Tape<T>& tape, Var<T> y, Var<T> target, Var<T> weight) {
  const double flops = kernels::ActivationFlops(kernels::Activation::kSoftplus) + 4;
  return WeightedSum(
      tape, "binary_cross_entropy", y, target, weight, flops,
      [](T logit, T want) {
        // softplus(y) - target y, arranged so that large logits do not cancel.
        const T magnitude = logit > 0 ? logit : -logit;
        const T excess = logit > 0 ? (1 - want) * magnitude : want * magnitude;
        return static_cast<double>(excess) +
               static_cast<double>(kernels::Log1pUnit(kernels::Exp(-magnitude)));
      },
      [](T logit, T want) { return kernels::Sigmoid(logit) - want; });
}

template Var<float> BinaryCrossEntropy(Tape<float>&, Var<float>, Var<float>, Var<float>);
template Var<double> BinaryCrossEntropy(Tape<double>&, Var<double>, Var<double>, Var<double>);

}  // namespace ssm
