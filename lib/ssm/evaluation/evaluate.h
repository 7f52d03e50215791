// Running a model over fresh sequences of a task and scoring what it says.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "ssm/base/workers.h"
#include "ssm/evaluation/eval_options.h"
#include "ssm/evaluation/task_statistics.h"
#include "ssm/models/sequence_model.h"

namespace ssm {

/// One cell of a results table.
struct CellKey {
  int64_t length = 0;  // 0: the task's own
  EvalMode mode = EvalMode::kForward;
  Split split = Split::kTest;
  double dt_scale = 1;
  int64_t examples = 4096;  // asked for; a finite split may hold fewer
  bool operator==(const CellKey&) const = default;
};

/// One cell for each of options.lengths, in order, each once.
std::vector<CellKey> CellsOf(const EvalOptions& options);

/// The same with the task's own length and no more examples than its split holds.
/// @throws Error(kBadConfig) when the split holds no sequence.
CellKey ResolveCell(const CellKey& key, const Task& task);

/// How ScoreCell walks a cell: what decides its memory.
struct WalkSize {
  int64_t piece_steps = 0;  // tokens of a row in one forward pass
  int64_t groups = 0;       // groups of `batch` rows that are alive at once
};
WalkSize SizeOfWalk(int64_t length, int64_t batch);

/// How far a cell has come.
struct CellProgress {
  int64_t sequences = 0;  // walked to their ends
  double tokens = 0;      // read
};

/// What is evaluated, borrowed. `seed` is seed.eval: sequence i of a split is task.Open(seed,
/// split, i), whatever the batch and the number of threads.
template <Scalar T>
struct EvalSubject {
  const SequenceModel<T>* model = nullptr;  // null: answers 0, to learn what the references score
  ParamView<T> params;
  const Task* task = nullptr;
  uint64_t seed = 0;
  Workers* workers = nullptr;
  int64_t batch = 16;  // rows that walk together
  /// Called by the thread that called ScoreCell, some times a cell; changes nothing. May be empty.
  std::function<void(const CellProgress&)> watch = {};
};

/// The sums of one finished cell, before any statistics.
struct CellScore {
  CellKey key;  // length and examples resolved
  Score score;  // the model's tallies and those of the task's references
  std::vector<double> loss_sum, loss_weight;  // [sequences] of the task's objective
  std::vector<int64_t> lengths;               // [sequences] tokens read
  int64_t state_bytes_live = 0;      // of one sequence, at its end (the largest of all rows)
  int64_t state_bytes_capacity = 0;  // of the same state
  TaskStatistics statistics;         // measured on these very sequences
  std::vector<PassCount> counts;     // what the passes counted, by name; none in step mode

  /// Mean over scored outputs.
  double loss() const;
};

/// Runs one cell. Rows are walked in groups of `batch`, each group one task of the workers; long
/// sequences go in pieces with the state carried, so memory does not grow with length (but for
/// growing slots). Scores are added in one fixed order: the result is a pure function of the
/// subject and the key, for any number of threads.
/// Cost: one forward pass per sequence. @throws Error(kBadConfig) as ResolveCell.
template <Scalar T>
CellScore ScoreCell(const EvalSubject<T>& subject, const CellKey& key);

/// sum(numerator) / sum(denominator) of a subject's overall tally ("model" or a reference's name);
/// NaN when there is none. For validation during training:
///   const CellScore cell = ScoreCell(subject, {.split = Split::kValidation, .examples = 512});
///   cell.loss(); OverallMetric(cell.score, "model", task.Spec().metric);
double OverallMetric(const Score& score, std::string_view subject, std::string_view metric);

}  // namespace ssm
