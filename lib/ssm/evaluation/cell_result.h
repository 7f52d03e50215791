// What one cell says: the model's metric with its interval, beside what it must be read against.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ssm/evaluation/evaluate.h"
#include "ssm/statistics/hierarchical_bootstrap.h"
#include "ssm/statistics/intervals.h"

namespace ssm {

/// "same sequences": the basis of a reference that ran beside the model.
inline constexpr std::string_view kSameSequences = "same sequences";

/// A predictor or a known value the model is compared with.
struct ReferenceResult {
  std::string name;
  Role role = Role::kHeuristic;
  std::string basis;    // kSameSequences, or what KnownValue says
  Interval estimate;    // of its metric; no interval for a closed form
  Interval difference;  // model minus reference; paired by sequence on the same sequences
  bool measured() const { return basis == kSameSequences; }
};

/// The metric on part of the scored steps.
struct GroupResult {
  std::string label;
  double share = 0;  // of the scored weight
  Interval model;
  std::vector<std::pair<std::string, double>> references;  // on the same steps
};

/// "lag", a stratum of the task, or "step": where in the sequence, by octaves.
struct AxisResult {
  std::string axis;
  std::vector<GroupResult> groups;
};

using NamedCounts = std::vector<std::pair<std::string, int64_t>>;

struct CellResult {
  CellKey key;  // resolved
  std::string metric;
  bool higher_is_better = false;
  Interval value;         // 95 %, sequences as clusters
  std::string undefined;  // why the metric has no value; empty where it has one
  double loss = 0;
  int64_t sequences = 0;                                        // that scored anything
  std::vector<std::pair<std::string, Interval>> other_metrics;  // of the model
  std::vector<ReferenceResult> references;                      // known ones first
  std::vector<AxisResult> axes;
  std::vector<Curve> curves;
  std::vector<std::pair<std::string, double>> statistics;  // of the task, measured
  int64_t state_bytes_live = 0, state_bytes_capacity = 0;
  /// What the passes counted, by name; nothing in a file of a program that told no counts.
  std::optional<NamedCounts> counts = NamedCounts{};
};

/// Metrics, intervals, paired differences. `known`: Task::Known for the cell's split and length.
CellResult Summarise(const CellScore& score, const TaskSpec& spec,
                     const std::vector<KnownValue>& known);

/// What the passes counted under that name; nothing where no pass knows it.
std::optional<int64_t> CountOf(const CellResult& cell, std::string_view name);
/// What the model scored on each sequence in the task's metric; empty where no step is scored.
ClusterSums MetricSums(const CellScore& score, const TaskSpec& spec);

/// The reference of a role to read the metric against: a closed form before a measured one. Null
/// when there is none.
const ReferenceResult* FindReference(const CellResult& cell, Role role);
/// The one that ran on the same sequences, which pairs; else as FindReference.
const ReferenceResult* FindPaired(const CellResult& cell, Role role);
/// The heuristic of the best value, each name once, measured before known; null: none.
const ReferenceResult* BestHeuristic(const CellResult& cell);

/// How far a lower-is-better metric lies above its ceiling, as a share of the ceiling, from the
/// paired difference where there is one: (value - ceiling) / ceiling. NaN without a positive
/// ceiling or where higher is better.
Interval ExcessOverCeiling(const CellResult& cell);

}  // namespace ssm
