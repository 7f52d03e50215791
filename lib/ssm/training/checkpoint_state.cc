#include "ssm/config/config_file.h"
#include "ssm/training/checkpoint.h"

namespace ssm {

void CheckpointState::VisitFields(FieldVisitor& visitor) {
  constexpr IntRange kCount{.min = 0};
  visitor.Int("format", format, {1, kFormat}, "version of this layout");
  visitor.Int("step", step, kCount, "optimiser steps done");
  visitor.Int("examples", examples, kCount, "training sequences consumed");
  visitor.Text("dtype", dtype, "scalar of the tensors");
  visitor.Text("config_hash", config_hash, "of the experiment");
  visitor.Int("seed_init", seed_init, kCount, "seed.init");
  visitor.Int("seed_data", seed_data, kCount, "seed.data");
  visitor.Int("seed_eval", seed_eval, kCount, "seed.eval");
  visitor.Int("metrics_bytes", metrics_bytes, kCount, "length of metrics.jsonl");
  visitor.Int("extended_from", extended_from, kCount, "train.steps before it was raised; 0: never");
  visitor.Int("best_step", early_stop.best_step, kCount, "of the best evaluation; 0: none yet");
  visitor.Real("best_value", early_stop.best_value, {}, "the task's metric there");
  visitor.Real("best_loss", early_stop.best_loss, {}, "the loss there");
  visitor.Int("since_best", early_stop.since_best, kCount, "evaluations since");
}

}  // namespace ssm
