// One sequence of delayed_recall, drawn step by step.
#pragma once

#include <memory>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// kSymbols: independent, uniform; kNoise: independent, standard normal; kSmooth: a sum of sines of
/// variance 1 with frequencies uniform in (0, bandwidth) cycles a step.
enum class DelaySignal { kSymbols, kNoise, kSmooth };

/// Sequences at one length and sampling rate: all in steps of that rate.
struct DelayLaw {
  DelaySignal signal = DelaySignal::kSymbols;
  int64_t symbols = 8;
  double bandwidth = 0.05;
  int64_t delay = 16;
  int64_t steps = 0;
};

/// The correlation of the signal with itself `lag` steps on. Of kSmooth: sin(x) / x at x = 2 pi
/// bandwidth lag; of the others 0 at every lag but 0.
double SignalCorrelation(const DelayLaw& law, int64_t lag);

/// The target of step t is the input of step t - delay; steps before there is one are not scored.
/// References in the order of DelayReferences. O(1) a step, O(kSines) of kSmooth; memory O(delay).
std::unique_ptr<SequenceStream> MakeDelayStream(const DelayLaw& law, Random random);

/// "delay line" (the ceiling), "newest" (the newest input, shrunk by its correlation with what is
/// asked for), and "guess" or "predict 0".
std::vector<Reference> DelayReferences(DelaySignal signal);

/// How many sines a smooth signal has.
inline constexpr int kSines = 64;

}  // namespace ssm
