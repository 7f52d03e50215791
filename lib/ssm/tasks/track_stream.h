// One sequence of evidence.track, drawn step by step.
#pragma once

#include <memory>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/tasks/ou_filter.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// Sequences at one length and sampling rate: all lengths in steps of that rate.
struct TrackLaw {
  OuLaw ou;
  int64_t steps = 0;
  int64_t lag = 0;   // the target is z_{t-lag}
  int64_t burn = 0;  // steps that are not scored, at least lag
  std::vector<double> leak_taus;

  double Leak(size_t i) const;
};

/// Input channels: sample[, seen]. References as TrackReferences. Latents: z_t, its filtered mean.
/// `observe`: references and latents will be asked for. O(1) a step, O(lag) with references.
std::unique_ptr<SequenceStream> MakeTrackStream(const TrackLaw& law, Random random, bool observe);

/// Names and roles, in the order in which streams write them. `named_taus`: the time constants
/// after which the leaky integrators are named, in trained steps.
std::vector<Reference> TrackReferences(const TrackLaw& law, const std::vector<double>& named_taus);

/// The nmse of each reference: the ceiling in the steady state, the others exactly over the scored
/// steps.
std::vector<KnownValue> TrackKnown(const TrackLaw& law, const std::vector<double>& named_taus);

}  // namespace ssm
