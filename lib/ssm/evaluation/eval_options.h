// What an evaluation is configured by.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ssm/config/fields.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// kForward: whole pieces at once, the state carried from piece to piece. kStep: token by token
/// through the model's stepper.
enum class EvalMode { kForward, kStep };

/// "forward", "step".
std::string_view EvalModeName(EvalMode mode);
/// "train", "validation", "test", "probe".
std::string_view SplitName(Split split);

/// "eval" of an experiment. None of it belongs to a run's identity: every results file records what
/// it was made with.
struct EvalOptions final : Configurable {
  int64_t examples = 4096;
  EvalMode mode = EvalMode::kForward;
  Split split = Split::kTest;
  std::vector<int64_t> lengths;  // empty: the task's own
  double dt_scale = 1;
  int64_t batch = 16;
  void VisitFields(FieldVisitor& visitor) override;
};

}  // namespace ssm
