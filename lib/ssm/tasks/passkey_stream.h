// One sequence of passkey, drawn step by step.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// Sequences of one length: at least 2 digits + 1 steps. Tokens: 0 to 9 the digits, then the
/// `fillers` symbols of filler, the mark before the key, and the question.
struct PasskeyLaw {
  int64_t digits = 5;
  int64_t fillers = 16;
  int64_t steps = 256;
  int64_t window = 64;

  /// Steps the mark may stand on, each as likely: 0 to places() - 1.
  int64_t places() const { return steps - 2 * digits; }
};

/// Filler, each symbol as likely; somewhere in it the mark and the key; at the end the question,
/// once for each digit. Lag of an answer: steps since that digit was shown, the same for all.
/// Latents: the digits of the key, 10 before they are shown. O(digits) a step.
std::unique_ptr<SequenceStream> MakePasskeyStream(const PasskeyLaw& law, Random random);

/// "key" (the ceiling), "window W" (sees the newest W steps) and "chance".
std::vector<Reference> PasskeyReferences(int64_t window);
/// Fifths of the places the mark may stand on, the earliest first.
std::vector<StratumAxis> PasskeyStrata();
/// Share of sequences whose key lies in the newest `window` steps when it is asked for.
double PasskeyWithin(const PasskeyLaw& law);

}  // namespace ssm
