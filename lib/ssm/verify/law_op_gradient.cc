#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "ssm/verify/gradient_check.h"
#include "ssm/verify/op_laws.h"

namespace ssm {
namespace {

/// <cotangents, outputs> of one case as a function of its inputs.
class OpProblem {
 public:
  OpProblem(const OpCase& op, Random& random) : op_(op), moved_(Mode::kInfer) {
    for (const Array<double>& input : op.inputs) inputs_.push_back(input.Clone());
    Tape<double> tape(Mode::kTrain);
    tape.RecordStops(&stops_);
    std::vector<Var<double>> vars;
    for (const Array<double>& input : inputs_) {
      vars.push_back(tape.Watch(input.shape(), input.data()));
    }
    const std::vector<Var<double>> outputs = op_.run(tape, vars);
    for (Var<double> output : outputs) {
      Array<double> weights(tape.shape(output));
      for (double& weight : weights.flat()) weight = random.Normal();
      cotangents_.push_back(std::move(weights));
      tape.Seed(output, cotangents_.back().data());
    }
    tape.Backward();
    for (Var<double> var : vars) {
      gradients_.emplace_back(tape.shape(var));
      const double* grad = tape.grad(var);
      if (grad != nullptr) std::copy_n(grad, gradients_.back().size(), gradients_.back().data());
    }
    moved_.ReplayStops(&stops_);
  }

  double Objective() {
    moved_.Reset();
    std::vector<Var<double>> vars;
    for (const Array<double>& input : inputs_) {
      vars.push_back(moved_.Bind(input.shape(), input.data()));
    }
    const std::vector<Var<double>> outputs = op_.run(moved_, vars);
    double sum = 0;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::span<const double> weights = cotangents_[i].flat();
      sum = std::inner_product(weights.begin(), weights.end(), moved_.value(outputs[i]), sum);
    }
    return sum;
  }

  std::vector<CheckedTensor> Tensors() {
    std::vector<CheckedTensor> tensors;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      tensors.push_back({fmt::format("input {}", i), inputs_[i].flat(), gradients_[i].flat(), {}});
    }
    return tensors;
  }

 private:
  const OpCase& op_;
  std::vector<Array<double>> inputs_, cotangents_, gradients_;
  StopLog<double> stops_;
  Tape<double> moved_;
};

}  // namespace

LawResult OpGradientLaw(const std::string& op, const std::vector<OpCase>& cases,
                        const LawRequest& request) {
  LawReport report("gradient", op, 1e-6, request);
  const GradientEffort effort =
      request.quick ? GradientEffort{.directions = 1, .coordinates = 2} : GradientEffort{};
  for (const OpCase& c : cases) {
    Random random(request.seed, RandomStream::kLaw, HashBytes(c.name.data(), c.name.size()));
    report.Begin(c.name, 0);
    report.Guard([&] {
      OpProblem problem(c, random);
      CheckGradients(
          problem.Tensors(), [&] { return problem.Objective(); }, effort, random, report);
    });
  }
  return report.Finish();
}

}  // namespace ssm
