// What every task's sequences must obey, as functions that judge a task.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ssm/tasks/task.h"

namespace ssm {

struct StreamLawResult {
  std::string law;
  bool passed = true;
  std::string where;  // the first thing that broke it; empty when passed
};

/// Asks every law of `sequences` sequences of a split drawn under `options` (its detail is
/// ignored):
///   pure     sequence i is the same whatever was drawn before; other indices and seeds differ, at
///            64 times the length at least (a finite split need not)
///   cuts     pieces of random lengths join to the sequence drawn whole, bit for bit
///   shapes   a sequence has the length asked for, then gives nothing more; asking for more detail
///            changes nothing of what training sees
///   content  inputs, weights and dt are finite, weights not negative, targets finite and of their
///            kind where scored, strata and categories have their labels, some step is scored
///   known    every reference scores what Known() says of it, within 5 standard errors over
///            sequences; where none has an exception, exceptions in 14 of them or more are denied
/// Cost: a few drawings of every sequence.
std::vector<StreamLawResult> CheckStreams(const Task& task, Split split,
                                          const StreamOptions& options, uint64_t seed,
                                          int64_t sequences);

}  // namespace ssm
