// Resampling units of replication, then the clusters inside each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ssm/statistics/bootstrap.h"

namespace ssm {

/// A ratio of sums that is kept cluster by cluster: what one trained run scored on each sequence.
struct ClusterSums {
  std::vector<double> numerator, denominator;  // [clusters]
  size_t size() const { return numerator.size(); }
  /// sum(numerator) / sum(denominator); NaN without a denominator.
  double Ratio() const;
};

/// Two units that share whatever pairs them; cluster i of one is cluster i of the other.
struct UnitPair {
  const ClusterSums* first = nullptr;
  const ClusterSums* second = nullptr;
};

/// How clusters are drawn. kNested: every unit has clusters of its own. kCrossed: entry i is the
/// same cluster in every unit and is drawn for all of them at once (Owen 2007, "The pigeonhole
/// bootstrap", Ann. Appl. Stat. 1:386), as what is hard in it is hard in each.
enum class ClusterDraw { kNested, kCrossed };

/// Mean over pairs of the first unit's ratio minus the second's, with a percentile interval: every
/// resample draws as many pairs as there are, with replacement, then the clusters inside each drawn
/// pair (Davison & Hinkley 1997, "Bootstrap Methods and their Application", 3.8). Resample i is a
/// pure function of (seed, i); one that leaves a unit without a denominator is left out. Fewer than
/// two pairs, or resamples that are all alike: no interval, but [0, 0] where all are exactly 0.
/// The clusters of a pair must match one to one; kCrossed needs the same number in every pair.
/// O(resamples pairs clusters).
Interval HierarchicalDifference(std::span<const UnitPair> pairs, ClusterDraw draw, uint64_t seed,
                                double level = 0.95, int64_t resamples = kResamples);

}  // namespace ssm
