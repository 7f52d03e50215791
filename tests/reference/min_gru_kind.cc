#include "reference/case_run.h"
#include "ssm/base/errors.h"
#include "ssm/mixers/min_gru.h"

namespace ssm::reference {

void RunMinGru(const ReferenceCase& c, Comparison& comparison) {
  RequireSettings(c, {}, {});
  Require(c, "inputs", c.inputs, {{"h_pre", "gate", "h0"}, {}});
  Require(c, "outputs", c.outputs, {{"y"}, {}});
  Require(c, "cotangents", c.cotangents, {{}, {"y"}});
  Require(c, "gradients", c.gradients, {{}, {"h_pre", "gate", "h0"}});
  const Shape& shape = c.inputs.at("h_pre").shape();
  if (shape.rank() != 3) Fail(ExitCode::kBadData, c.file + ": h_pre is [B, T, H]");
  Shaped(c, c.inputs, "gate", shape);
  Shaped(c, c.inputs, "h0", {shape[0], shape[2]});
  CaseRun run(c, shape[0], shape[1]);
  const MinGruStates<double> states =
      MinGruScan(run.tape(), run["h_pre"], run["gate"], run["h0"], run.clock());
  run.Finish({{"y", states.h}}, comparison);
}

}  // namespace ssm::reference
