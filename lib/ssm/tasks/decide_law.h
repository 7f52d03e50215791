// How a trial of evidence.decide is made, and what follows from that alone.
#pragma once

#include <cstdint>
#include <vector>

#include "ssm/tasks/task.h"

namespace ssm {

/// Trials at one length and sampling rate: all lengths in steps of that rate.
struct DecideLaw {
  int64_t stimulus = 0, delay = 0;
  double dprime = 0;          // > 0: drift dprime sigma / sqrt(samples seen in the trial)
  std::vector<double> drift;  // else one of these, with equal odds
  double sigma = 1;           // of a sample
  double distractor_sigma = 0;
  double miss = 0;
  bool zero_drift = false;        // the probe: only noise; observers expect the drifts of the test
  std::vector<double> leak_taus;  // of the leaky integrators

  int64_t steps() const { return stimulus + delay; }
  /// The drifts that an observer who will have seen `seen` samples reckons with.
  std::vector<double> DriftsOf(int64_t seen) const;
  /// The one drift of a given d'.
  double DriftOf(int64_t seen) const;
};

/// v = sum of decayed samples, with what its mean and variance are under a drift of 1.
struct Integrator {
  double decay = 1;
  double v = 0, gain = 0, variance = 0;

  void Step(double x, bool signal, double sample_variance) {
    v = decay * v + x;
    gain = decay * gain + (signal ? 1 : 0);
    variance = decay * decay * variance + sample_variance;
  }
};

/// Names and roles, in the order in which streams write them.
std::vector<Reference> DecideReferences(const std::vector<double>& leak_taus);

/// Accuracies that follow from the law alone. `named_taus`: the time constants after which the
/// leaky integrators are named, in steps of the trained rate.
std::vector<KnownValue> DecideKnown(const DecideLaw& law, const std::vector<double>& named_taus);

}  // namespace ssm
