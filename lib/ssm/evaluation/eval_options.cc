#include "ssm/evaluation/eval_options.h"

namespace ssm {

std::string_view EvalModeName(EvalMode mode) {
  return mode == EvalMode::kForward ? "forward" : "step";
}

std::string_view SplitName(Split split) {
  switch (split) {
    case Split::kTrain:
      return "train";
    case Split::kValidation:
      return "validation";
    case Split::kTest:
      return "test";
    case Split::kProbe:
      return "probe";
  }
  return "";
}

void EvalOptions::VisitFields(FieldVisitor& visitor) {
  const auto cadence = [](const char* text) { return Doc(text, FieldRole::kCadence); };
  visitor.Int("examples", examples, {.min = 1}, cadence("sequences a cell is scored on"));
  visitor.Choice("mode", mode, {{"forward", EvalMode::kForward}, {"step", EvalMode::kStep}},
                 cadence("forward: whole pieces at once; step: streamed token by token"));
  visitor.Choice("split", split,
                 {{"train", Split::kTrain},
                  {"validation", Split::kValidation},
                  {"test", Split::kTest},
                  {"probe", Split::kProbe}},
                 cadence("which sequences; probe: without a signal, where a task has such"));
  visitor.IntList("lengths", lengths, {.min = 1, .max = 1'000'000'000},
                  cadence("sequence lengths in tokens, a cell each; empty: the task's own"));
  visitor.Real("dt_scale", dt_scale, {.min = 1e-3, .max = 1e3},
               cadence("2: half the trained sampling rate, the task resampled to match"));
  visitor.Int("batch", batch, {.min = 1, .max = 65536}, cadence("sequences that run together"));
}

}  // namespace ssm
