// What a training run is configured by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ssm/config/fields.h"
#include "ssm/training/chunking.h"
#include "ssm/training/schedule.h"

namespace ssm {

/// "train.groups.NAME": parameters of that group learn at their own rate (the schedule multiplies
/// it as it does train.lr) and decay at their own.
struct GroupOptions final : Configurable {
  double lr = 0.001;
  double weight_decay = 0;
  void VisitFields(FieldVisitor& visitor) override;
};

struct TrainOptions final : Configurable {
  /// One group stands by default: "ssm" (dt, A and their like), slow and without decay.
  TrainOptions();

  int64_t steps = 2000;    // optimiser steps
  int64_t batch = 32;      // sequences of one micro-batch
  int64_t accumulate = 1;  // micro-batches of one optimiser step
  int64_t shards = 4;      // parts a micro-batch is cut into, whatever the threads
  int64_t chunk = 0;       // tokens on the tape at once; 0: the whole sequence
  bool carry = false;      // gradients stop between chunks
  double lr = 0.003;       // peak
  int64_t warmup = 100;    // steps
  ScheduleKind schedule = ScheduleKind::kCosine;
  double clip = 1;  // largest global gradient norm; 0: none
  double weight_decay = 0.01;
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
  MapOf<GroupOptions> groups;
  std::optional<std::string> init_from;
  int64_t early_stop = 0;  // evaluations without a better one; 0: never
  int64_t log_norms = 0;   // steps between lines of per-layer norms; 0: none
  int64_t checkpoint_every = 200, eval_every = 200;  // steps; 0: only at the end
  int64_t eval_examples = 256;                       // validation sequences of one evaluation
  int64_t keep = 3;                                  // newest checkpoints kept, beside the best

  /// min(shards, batch): how many there are.
  int64_t ShardCount() const;
  Chunking chunking() const { return {chunk, carry}; }
  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
};

}  // namespace ssm
