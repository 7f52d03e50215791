#include "ssm/training/train_options.h"

#include <algorithm>

namespace ssm {

void GroupOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Real("lr", lr, NonNegative(), "peak learning rate; 0 freezes the group");
  visitor.Real("weight_decay", weight_decay, NonNegative(), "decoupled weight decay");
}

TrainOptions::TrainOptions() { groups.Insert("ssm"); }

int64_t TrainOptions::ShardCount() const { return std::min(shards, batch); }

void TrainOptions::VisitFields(FieldVisitor& visitor) {
  constexpr int64_t kMost = int64_t{1} << 40;
  const auto cadence = FieldRole::kCadence;
  visitor.Int("steps", steps, {1, kMost}, {"optimiser steps", FieldRole::kExtension});
  visitor.Int("batch", batch, {1, 1 << 20}, "sequences of a micro-batch");
  visitor.Int("accumulate", accumulate, {1, 1 << 20}, "micro-batches of one optimiser step");
  visitor.Int("shards", shards, {1, 1024},
              "parts a micro-batch is cut into, at most its sequences; more threads than shards "
              "stand idle, and results depend on shards alone");
  visitor.Int("chunk", chunk, {0, kMost},
              "tokens of a sequence in memory at once: gradients stay exact, at 4/3 of the "
              "arithmetic; 0: all");
  visitor.Bool("carry", carry,
               "hand the state from chunk to chunk but no gradient back: truncated "
               "backpropagation through time");
  visitor.Real("lr", lr, NonNegative(), "peak learning rate");
  visitor.Int("warmup", warmup, {0, kMost}, "steps in which the learning rate rises linearly");
  visitor.Choice("schedule", schedule,
                 {{"cosine", ScheduleKind::kCosine}, {"constant", ScheduleKind::kConstant}},
                 "the learning rate after the warm-up");
  visitor.Real("clip", clip, NonNegative(), "largest global gradient norm; 0: none");
  visitor.Real("weight_decay", weight_decay, NonNegative(), "decoupled weight decay");
  visitor.Real("beta1", beta1, {.min = 0, .max = 1, .open_max = true}, "decay of the first moment");
  visitor.Real("beta2", beta2, {.min = 0, .max = 1, .open_max = true},
               "decay of the second moment");
  visitor.Real("eps", eps, {.min = 1e-30, .max = 1}, "added to the root of the second moment");
  visitor.Map("groups", groups,
              "parameter groups with a learning rate and a decay of their own: \"ssm\" (dt, A and "
              "their like), \"default\"");
  visitor.OptionalText("init_from", init_from,
                       "run, checkpoint or safetensors file whose parameters training starts from");
  visitor.Int("early_stop", early_stop, {0, kMost},
              {"evaluations without a better one before training stops; 0: never", cadence});
  visitor.Int("log_norms", log_norms, {0, kMost},
              {"steps between lines of per-layer activation and gradient norms; 0: none", cadence});
  visitor.Int("checkpoint_every", checkpoint_every, {0, kMost},
              {"steps between checkpoints; 0: only the last", cadence});
  visitor.Int("eval_every", eval_every, {0, kMost},
              {"steps between evaluations on the validation split; 0: none", cadence});
  visitor.Int("eval_examples", eval_examples, {1, 1 << 30},
              {"validation sequences of one evaluation", cadence});
  visitor.Int("keep", keep, {1, 1 << 20}, {"newest checkpoints kept, beside the best", cadence});
}

void TrainOptions::Check(Faults& faults) const {
  if (carry && chunk == 0) {
    faults.Add("carry", "cuts gradients between chunks, and there are none; set train.chunk");
  }
  if (early_stop > 0 && eval_every == 0) {
    faults.Add("early_stop", "needs evaluations; set train.eval_every");
  }
}

}  // namespace ssm
