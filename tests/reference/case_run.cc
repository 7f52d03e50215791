#include "reference/case_run.h"

#include "ssm/base/errors.h"

namespace ssm::reference {

CaseRun::CaseRun(const ReferenceCase& c, int64_t rows, int64_t steps) : case_(c) {
  for (const auto& [name, array] : c.inputs) {
    vars_[name] = tape_.Watch(array.shape(), array.data());
  }
  const std::vector<int64_t> before(static_cast<size_t>(rows), 1);
  clock_ = MakeClock(tape_, std::span(before), steps, nullptr, nullptr);
}

void CaseRun::Finish(const std::map<std::string, Var<double>>& found, Comparison& comparison) {
  const auto numbers = [&](Var<double> var, const double* values) {
    return std::span(values, static_cast<size_t>(tape_.shape(var).size()));
  };
  for (const auto& [output, expected] : case_.outputs) {
    const Var<double> var = found.at(output);
    comparison.Check(output, numbers(var, tape_.value(var)), expected);
    if (case_.cotangents.count(output) == 0) continue;
    tape_.Seed(var, Shaped(case_, case_.cotangents, output, expected.shape()).data());
  }
  tape_.Backward();
  for (const auto& [input, expected] : case_.gradients) {
    const Var<double> var = vars_.at(input);
    SSM_CHECK(tape_.grad(var) != nullptr, "no gradient reached " + input);
    comparison.Check("gradient of " + input, numbers(var, tape_.grad(var)), expected);
  }
}

}  // namespace ssm::reference
