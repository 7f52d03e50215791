// One sequence of parity, drawn step by step.
#pragma once

#include <memory>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// Sequences whose lengths are uniform on the integers from `shortest` to `longest`.
struct ParityLaw {
  int64_t shortest = 3, longest = 40;
  bool every = false;  // each step is scored, not just the last
  int64_t window = 8;
};

/// Random bits; the target is whether an odd number of ones was shown so far. References in the
/// order of ParityReferences; the one latent is that parity. O(1) a step, memory O(window).
std::unique_ptr<SequenceStream> MakeParityStream(const ParityLaw& law, Random random);

/// "parity" (the ceiling), "window W" (the parity of the newest W bits), "newest" (the newest bit)
/// and "guess".
std::vector<Reference> ParityReferences(int64_t window);

/// How often the parity of the newest `window` bits is that of all: always as long as all lie in
/// the window, half the time after.
double WindowParityAccuracy(const ParityLaw& law, int64_t window);

}  // namespace ssm
