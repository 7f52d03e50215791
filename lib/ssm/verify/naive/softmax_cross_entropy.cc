#include "ssm/autograd/ops/softmax_cross_entropy.h"

#include <cmath>

#include "ssm/verify/naive/loss_case.h"

namespace ssm {
namespace {

std::vector<Array<double>> NaiveCrossEntropy(const Array<double>& y, const IntArray& target,
                                             const Array<double>& weight) {
  const int64_t classes = y.shape()[2];
  std::vector<Array<double>> sum;
  sum.emplace_back(Shape{1});
  for (int64_t i = 0; i < target.size(); ++i) {
    double total = 0;
    for (int64_t o = 0; o < classes; ++o) total += std::exp(y[i * classes + o]);
    sum[0][0] -= weight[i] * std::log(std::exp(y[i * classes + target[i]]) / total);
  }
  return sum;
}

OpCase CrossEntropyCase(int64_t steps, int64_t classes) {
  const auto target = Share(IdArray("class", {2, steps, 1}, classes));
  const auto weight = Share(LossWeights({2, steps}));
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("logits", {2, steps, classes}));
  return MakeOpCase(
      "softmax_cross_entropy",
      "softmax_cross_entropy T=" + std::to_string(steps) + " O=" + std::to_string(classes),
      std::move(inputs),
      [=](auto& tape, auto in) {
        return std::vector{SoftmaxCrossEntropy(
            tape, in[0], CopyConstant(tape, Cast<double>(*target)), CopyConstant(tape, *weight))};
      },
      [=](std::span<const Array<double>> in) {
        return NaiveCrossEntropy(in[0], *target, *weight);
      });
}

}  // namespace

std::vector<OpCase> SoftmaxCrossEntropyCases() {
  std::vector<OpCase> cases;
  for (int64_t steps : kCaseLengths) cases.push_back(CrossEntropyCase(steps, 5));
  cases.push_back(CrossEntropyCase(7, 1));
  cases.push_back(CrossEntropyCase(3, 33));
  return cases;
}

}  // namespace ssm
