// What a model loses on a task's data when its attention layers keep less of the past.
#pragma once

#include <string>
#include <vector>

#include "ssm/analysis/cache_policies.h"
#include "ssm/models/sequence_model.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// Of the tokens at which something is asked, at lags of one octave; "all": at any lag, or none.
struct CacheError {
  std::string lag;
  int64_t first_lag = 0;  // of the octave
  int64_t outputs = 0;    // tokens
  double error = 0;       // rms of (y - y_full) / rms of y_full
  double largest = 0;     // the largest |y - y_full| of one output / rms of y_full
  double score = 0;       // the task's metric; NaN where its scorer has none
};

/// The model under one policy.
struct CacheOutcome {
  /// One for all attention layers; where a model was trained with several, that of each.
  std::vector<CachePolicy> policies;
  bool own = false;  // what the model was trained with
  double bytes = 0;  // live bytes of the model's state at a sequence's end, the largest of all rows
  std::vector<std::string> untrained;  // parameters that stand at their initial values
  std::vector<CacheError> errors;      // by lag, "all" at the end
};

struct CacheComparison {
  int64_t sequences = 0, steps = 0;
  int64_t attention_layers = 0;
  std::string metric;
  size_t full = 0;  // which of the outcomes the others are compared with
  std::vector<CacheOutcome> outcomes;
};

/// What is compared with itself, borrowed.
struct CacheSubject {
  ModelOptions* options = nullptr;  // changed on the way, and as before at the end
  ModelIo io;
  uint64_t init_seed = 0;
  const Parameters<double>* trained = nullptr;
  const Task* task = nullptr;
};

struct CacheRequest {
  int64_t sequences = 64;
  int64_t steps = 1024;  // at most: the beginning of longer ones
  uint64_t seed = 0;
  Split split = Split::kTest;
  double dt_scale = 1;
  int64_t scalar_bytes = 8;                // of the numbers that a state is counted in
  std::vector<CachePolicy> policies = {};  // none: PoliciesAt the length of the sample
};

/// Runs the same sequences through the model with every attention layer's cache replaced by each
/// policy: first the one it was trained with unless that is "full", then "full", then the others,
/// each once. Parameters keep the values they have in `trained` by name; what a policy adds, or
/// shapes otherwise, has its initial ones. Computed in double. Cost: a forward pass a policy.
/// @throws Error(kBadConfig) for a model without attention layers and as ResolveCell,
///         Error(kRefused) for a cache that memory has no room for.
CacheComparison CompareCaches(const CacheSubject& subject, const CacheRequest& request);

}  // namespace ssm
