// An experiment that trains in milliseconds.
#pragma once

#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "ssm/base/files.h"
#include "ssm/experiment/experiment_config.h"
#include "ssm/mixers/attention.h"
#include "ssm/mixers/linear_attention.h"
#include "support/leaky_mixer.h"
#include "support/temp_folder.h"
#include "training/tiny_task.h"

namespace ssm::test {

/// Sends this process a signal when training sequence `at` is opened; SIGTERM when it is `armed`,
/// which is no part of the experiment.
struct SignallingTask final : TinyTask {
  static inline int64_t armed = -1;
  int64_t signal = 0, at = 0;
  void VisitFields(FieldVisitor& visitor) override {
    TinyTask::VisitFields(visitor);
    visitor.Int("signal", signal, {0, 64}, "its number");
    visitor.Int("at", at, {.min = 0}, "the sequence");
  }
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override {
    if (split == Split::kTrain && index == at && signal > 0)
      ::kill(::getpid(), static_cast<int>(signal));
    if (split == Split::kTrain && index == armed) ::kill(::getpid(), SIGTERM);
    return TinyTask::Open(seed, split, index, options);
  }
};

struct TinyCatalogue {
  MixerRegistry mixers;
  TaskRegistry tasks;
  TinyCatalogue() {
    mixers.Add<LeakyOptions>("leaky", "a leaky integrator");
    mixers.Add<AttentionOptions>("attention", "softmax attention");
    mixers.Add<LinearAttentionOptions>("linear_attention", "attention by products of features");
    tasks.Add<TinyTask>("tiny", "a leaky sum of noise");
    tasks.Add<SignallingTask>("signalling", "the same, and a signal");
  }
};

/// A folder with tiny.json in it; runs go beside it.
struct TinyExperiment {
  TempFolder folder;
  TinyCatalogue catalogue;
  std::string file = folder / "tiny.json";

  TinyExperiment() {
    WriteNewFile(file, R"({"name": "tiny", "seed": 3, "task": {"type": "tiny"},
      "model": {"d_model": 4, "layers": 1,
                "block": {"mlp": "none", "mixer": {"type": "leaky"}}},
      "train": {"steps": 24, "batch": 4, "warmup": 2, "lr": 0.02, "eval_every": 6,
                "checkpoint_every": 4, "eval_examples": 8, "keep": 2}})");
  }
  Experiment Read(const std::vector<std::string>& overrides = {}) const {
    return ReadExperiment({file, overrides}, catalogue.mixers, catalogue.tasks);
  }
};

}  // namespace ssm::test
