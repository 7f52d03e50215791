// What a linear read-out of the state knows of a task's hidden quantities, beside what the model
// answers: tells what is not kept from what is kept but not read.
#pragma once

#include <string>
#include <vector>

#include "ssm/evaluation/evaluate.h"
#include "ssm/statistics/intervals.h"

namespace ssm {

/// All scored samples, or those of one octave of the lag (of the step, in a task without lags).
struct ProbeGroup {
  std::string label;  // "all", "8-15"
  int64_t samples = 0;
  Interval read;      // from the state
  Interval answered;  // by the model; NaN where its answer is another quantity
};

struct ProbedLatent {
  std::string name;
  std::string metric;  // "accuracy", or "nmse": errors over the variance about the fitted mean
  double noise = 0;    // of the read-out chosen: see FitReadouts
  std::vector<ProbeGroup> groups;  // the first has all
};

struct StateProbe {
  int64_t sequences = 0;      // of each part: fitted half of them, the noise chosen on a quarter
  int64_t samples = 0;        // states read in all of them
  int64_t state_numbers = 0;  // a state
  std::string axis;           // "lag" or "step"
  std::vector<ProbedLatent> latents;
};

/// Streams key.examples sequences token by token, keeps the state at up to 16 scored steps of each
/// (chosen evenly at random), and fits ridge read-outs of every latent: on the first half of the
/// sequences, their noise chosen among 1e-3 to 1 on the next quarter, judged on the last. Of a
/// latent one of whose values is asked for, that one counts. Intervals: 95 %, by sequence.
/// Memory 1 GiB at most: fewer states a sequence are kept where they are large.
/// @throws Error(kBadConfig) where the task has no latents or fewer than 8 sequences; as
/// ResolveCell.
template <Scalar T>
StateProbe ProbeState(const EvalSubject<T>& subject, const CellKey& key);

}  // namespace ssm
