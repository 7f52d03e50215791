// Tests that assume nothing but what was shared or drawn at random.
#pragma once

#include <cstdint>
#include <span>

namespace ssm {

/// Differences up to which SignFlipTest walks through every flip.
inline constexpr size_t kMostExactFlips = 20;

/// Two-sided p of paired differences: the share of all 2^n choices of signs whose sum lies as far
/// from 0 as the one observed (Fisher 1935, "The Design of Experiments", 21). It assumes only that
/// a difference is as likely as its negative where nothing differs. Never below 2^(1-n), so five
/// pairs cannot reach 0.05 and six can; differences that are all 0 give 1, none give NaN. Above
/// kMostExactFlips pairs: 2^17 - 1 choices drawn with `seed`, the observed one counted among them.
/// O(2^n) up to there.
double SignFlipTest(std::span<const double> differences, uint64_t seed = 0);

/// Two-sided p of Fisher's exact test that two success rates are one: the total probability of all
/// tables of these margins that are no likelier than the one observed (Fisher 1935, J. R. Stat.
/// Soc. 98:39). NaN where either side has no trials. 0 <= successes <= trials. O(trials).
double FisherTest(int64_t first_successes, int64_t first_trials, int64_t second_successes,
                  int64_t second_trials);

}  // namespace ssm
