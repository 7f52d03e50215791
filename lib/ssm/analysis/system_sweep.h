// One continuous system stepped at many dt.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ssm/systems/response_gain.h"
#include "ssm/systems/stability.h"

namespace ssm {

struct StepOutcome {
  StepRule rule = StepRule::kZoh;
  std::string fault;  // why there is no such step; empty otherwise
  Stability verdict = Stability::kStable;
  double radius = 0;     // the largest growth of a mode a step
  double half_life = 0;  // steps until the longest lived mode is halved; infinite unless all decay
  ResponseGain gain;     // of 65,536 terms at most, fewer of a large system: see tail
};

struct StepSweepRow {
  double dt = 0;
  std::vector<StepOutcome> rules;  // kStepRules
};

/// What each rule makes of `system` at each dt > 0. O(dts n^3), and 2e8 multiplications a
/// gain at most.
/// @throws Error(kBadConfig) for a system with faults.
std::vector<StepSweepRow> SweepSteps(const ContinuousSystem& system, std::span<const double> dts);

}  // namespace ssm
