// Cases of losses that are one weighted term for each output.
#pragma once

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {

/// Weights of the given shape: about a third are 0, the rest in (0, 2).
inline Array<double> LossWeights(const Shape& shape) {
  Array<double> weights = UniformArray("loss weights", shape, -1, 2);
  for (double& weight : weights.flat()) weight = weight < 0 ? 0 : weight;
  return weights;
}

/// `loss` (tape, y, target, weight) against the sum of weight * term(y, target), at all lengths,
/// with weights for each token and for each output.
template <class Targets, class Loss, class Term>
std::vector<OpCase> WeightedLossCases(const std::string& op, Targets targets, Loss loss,
                                      Term term) {
  std::vector<OpCase> cases;
  for (int64_t steps : kCaseLengths) {
    for (const bool each : {false, true}) {
      const Shape shape{2, steps, 3};
      const auto target = Share(targets(op + " target", shape));
      const auto weight = Share(LossWeights(each ? shape : Shape{2, steps}));
      std::vector<Array<double>> inputs;
      inputs.push_back(NormalArray(op + " y", shape));
      cases.push_back(MakeOpCase(
          op, op + " T=" + std::to_string(steps) + (each ? " weight each" : ""), std::move(inputs),
          [=](auto& tape, auto in) {
            return std::vector{
                loss(tape, in[0], CopyConstant(tape, *target), CopyConstant(tape, *weight))};
          },
          [=](std::span<const Array<double>> in) {
            std::vector<Array<double>> sum;
            sum.emplace_back(Shape{1});
            for (int64_t i = 0; i < in[0].size(); ++i) {
              const double w = (*weight)[each ? i : i / 3];
              sum[0][0] += w * term(in[0][i], (*target)[i]);
            }
            return sum;
          }));
    }
  }
  return cases;
}

}  // namespace ssm
