// What selection does: how far a layer's recurrence decays and how much it writes, token by token,
// on a task's own data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ssm/analysis/isolated_mixer.h"
#include "ssm/analysis/task_sample.h"

namespace ssm {

/// Least, 1 %, 10 %, half, 90 %, 99 % and most of some values.
struct Quantiles {
  double least = 0, p1 = 0, p10 = 0, median = 0, p90 = 0, p99 = 0, most = 0;
};
/// Of at least one value.
Quantiles QuantilesOf(std::vector<double> values);

/// State entries whose half-life lies in an octave, over all tokens: decays and writes jointly.
struct HalfLifeOctave {
  std::string label;   // tokens: "< 1", "1-2", ..., "> 2^20", "grows"
  double share = 0;    // of entries times tokens
  double write = 0;    // root mean square of what these entries are given
  double written = 0;  // their share of all that is written, in squares
};

struct KindSelection {
  std::string label;
  double share = 0;     // of tokens
  Quantiles half_life;  // tokens
  double write = 0;     // root mean square
};

/// Of a recurrence h' = decay * h + write, entry by entry, with coefficients that may depend on
/// the input and on nothing else.
struct Selection {
  int64_t states = 0, tokens = 0;
  Quantiles decay;          // signed
  double reach = 0;         // max |decay|
  double gap = 0;           // 1 - reach, of 53 bits
  double share_one = 0;     // of |decay| that are exactly 1 in float32
  double share_zero = 0;    // of those that are 0 there
  Quantiles half_life;      // tokens; infinite where nothing decays
  double most_written = 0;  // max |write|
  /// |h| stays below most_written / (1 - reach) under decays and writes as large as any seen;
  /// infinite where reach is 1 or more.
  double response_bound = 0;
  /// No input whatever makes a |decay| larger than this; NaN: none is known below 1.
  double uniform_bound = 0;
  std::vector<HalfLifeOctave> octaves;
  std::vector<KindSelection> kinds;
};

/// The recurrence of a layer whose next state is affine in the state before, entry by entry, as
/// it reads `inputs` [B, T, D] of `sample`. Nothing for one that is not so: a non-linear
/// recurrence, one that mixes entries, or none. The first token of a sequence, which has no state
/// before, is left out. Decays are vector-Jacobian products, exact to rounding however close to 1.
/// Cost: a pass and a half for each token; at most 2^22 coefficients are kept, of tokens evenly
/// spaced.
std::optional<Selection> SelectionOf(const IsolatedMixer& mixer, const TaskSample& sample,
                                     const Array<double>& inputs, double dt_scale);

}  // namespace ssm
