// What a resumed run may change.
#pragma once

#include <string>

#include "ssm/experiment/run_directory.h"

namespace ssm {

struct ResumeDecision {
  bool unchanged = false;     // nothing but cadence differs
  int64_t extended_from = 0;  // train.steps before, when they were raised; else 0
};

/// Threads, logging, cadence and names may change, and train.steps may grow; anything else makes
/// another experiment.
/// @throws Error(kBadConfig) naming every field that may not change, with both values.
ResumeDecision JudgeResume(ExperimentConfig& before, ExperimentConfig& after);

/// Whether `run` may be trained in at all: it holds a run's config, or nothing but what a run
/// killed while it was being made leaves. Throws Error(kCannotCreate).
void RequireRunOrRemains(const RunDirectory& run);
/// Reads config.json of `run` into `before`. False, with a warning, when it is gone or damaged and
/// `given` is the config that the newest whole checkpoint knows by its hash: it may stand for it.
/// @throws what is wrong with config.json, and what to do, when neither helps.
bool ReadStoredConfig(const RunDirectory& run, ExperimentConfig& before, ExperimentConfig* given);
/// Removes temporary files that killed writers left in the folder itself.
void RemoveTemporaries(const RunDirectory& run);
/// "commit, isa", the facts in which this program and machine differ from those that started the
/// run: its bits may then differ too. Empty when none do.
std::string ChangedSince(const RunManifest& then, const RunManifest& now);

}  // namespace ssm
