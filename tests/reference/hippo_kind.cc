#include "reference/reference_kinds.h"
#include "ssm/base/errors.h"
#include "ssm/systems/hippo_matrices.h"
#include "ssm/systems/legs_projection.h"

namespace ssm::reference {
namespace {

int64_t Whole(const ReferenceCase& c, const std::string& name) {
  const double number = c.numbers.at(name);
  if (!(number >= 1 && number <= 4096 && number == static_cast<double>(int64_t(number)))) {
    Fail(ExitCode::kBadData, c.file + ": " + name + " is a whole number from 1 to 4096");
  }
  return static_cast<int64_t>(number);
}

void RunPair(const ReferenceCase& c, HippoMeasure measure, Comparison& comparison) {
  RequireSettings(c, {"N"}, {});
  Require(c, "inputs", c.inputs, {});
  Require(c, "outputs", c.outputs, {{"A", "B"}, {}});
  Require(c, "cotangents", c.cotangents, {});
  Require(c, "gradients", c.gradients, {});
  const int64_t order = Whole(c, "N");
  const HippoPair pair = MakeHippo({measure, order});
  comparison.Check("A", pair.A.values, Shaped(c, c.outputs, "A", {order, order}));
  comparison.Check("B", pair.B.values, Shaped(c, c.outputs, "B", {order, 1}));
}

}  // namespace

void RunHippoLegs(const ReferenceCase& c, Comparison& comparison) {
  RunPair(c, HippoMeasure::kLegS, comparison);
}

void RunHippoLegt(const ReferenceCase& c, Comparison& comparison) {
  RunPair(c, HippoMeasure::kLegT, comparison);
}

void RunHippoLagt(const ReferenceCase& c, Comparison& comparison) {
  RunPair(c, HippoMeasure::kLagT, comparison);
}

void RunHippoLegsOnline(const ReferenceCase& c, Comparison& comparison) {
  RequireSettings(c, {"N", "T"}, {});
  Require(c, "inputs", c.inputs, {{"f"}, {}});
  Require(c, "outputs", c.outputs, {{"coefficients"}, {}});
  Require(c, "cotangents", c.cotangents, {});
  Require(c, "gradients", c.gradients, {});
  const int64_t order = Whole(c, "N"), steps = Whole(c, "T");
  const Array<double>& f = Shaped(c, c.inputs, "f", {steps});
  LegsProjection projection(order, 1, StepRule::kBilinear);
  std::vector<double> found;
  for (const double& sample : f.flat()) {
    projection.Step({&sample, 1});
    const std::vector<double>& now = projection.coefficients().values;
    found.insert(found.end(), now.begin(), now.end());
  }
  comparison.Check("coefficients", found, Shaped(c, c.outputs, "coefficients", {steps, order}));
}

}  // namespace ssm::reference
