// One sequence of flip_flop, drawn step by step.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// Instructions on steps 0, 2, 4, ..., each followed by a symbol. The first writes, the last reads,
/// those between ignore with probability `ignore`, write with `write` and else read. Symbols are
/// ids 0 to `symbols` - 1, then follow write, read and ignore. What follows a write or an ignore is
/// drawn uniformly, what follows a read is the symbol stored.
struct FlipFlopLaw {
  int64_t symbols = 2;
  double ignore = 0.8, write = 0.1;
  int64_t steps = 128;  // 3 at least
  int64_t window = 16;

  double read() const { return 1 - (ignore + write); }
  int64_t instructions() const { return (steps + 1) / 2; }
};

/// A step that shows a read is scored, its target the symbol that was written last; its lag is the
/// steps since that symbol was shown as such, written or read. References in the order of
/// FlipFlopReferences; the one latent is the symbol stored, `symbols` before there is one. O(1) a
/// step, constant memory.
std::unique_ptr<SequenceStream> MakeFlipFlopStream(const FlipFlopLaw& law, Random random);

/// "register" (the ceiling), "window W" (right as long as the lag is at most W, else a guess),
/// "newest" (the newest symbol, whatever came before it) and "guess".
std::vector<Reference> FlipFlopReferences(int64_t window);

/// P(lag <= window) over reads: of those that more instructions came before than the window holds,
/// m = floor((window + 1) / 2), 1 - ignore^m; of the others 1.
double ReadsWithin(const FlipFlopLaw& law, int64_t window);

/// Accuracies of FlipFlopReferences, in that order; exact.
std::vector<double> FlipFlopAccuracies(const FlipFlopLaw& law);

}  // namespace ssm
