// Scoring a run: its checkpoint, the cells asked for, and what is finished already.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ssm/analysis/state_probe.h"
#include "ssm/evaluation/results_file.h"
#include "ssm/experiment/experiment_config.h"

namespace ssm {

/// What of a run is to be scored.
struct EvalRequest {
  std::string run;
  std::vector<std::string> overrides;  // as RefuseOtherOverrides lets pass
  std::string checkpoint = "best";     // "best", "latest" or a step
  int threads = 0;                     // 0: DefaultThreads()
  /// Gets each cell once it is scored; where it is given, finished cells are scored again.
  std::function<void(const CellScore&)> scored;
};

struct RunEvaluation {
  std::string run;
  Experiment experiment;  // as evaluated
  ResultOrigin origin;
  int64_t params = 0;
  double flops = 0;                                    // as ResultsFile's
  std::vector<CellResult> cells;                       // of EvaluateRun
  std::vector<std::pair<CellKey, StateProbe>> probes;  // of ProbeRun

  /// Live bytes of one stream's state, the most of all cells.
  int64_t LargestState() const;
};

/// Scores every cell of the run's "eval", overrides applied, and writes each into its results
/// folder as soon as it is there; cells that stand there, of the same origin, are read instead.
/// @throws Error: what is wrong with the run, its checkpoint or the overrides; kRefused where a
/// cell does not fit into memory.
RunEvaluation EvaluateRun(const EvalRequest& request, const MixerRegistry& mixers,
                          const TaskRegistry& tasks);

/// What a linear read-out of the state knows in every such cell; nothing is written. @throws also
/// as ProbeState.
RunEvaluation ProbeRun(const EvalRequest& request, const MixerRegistry& mixers,
                       const TaskRegistry& tasks);

/// An evaluation may change what is asked, not what was trained. @throws Error(kUsage).
void RefuseOtherOverrides(const std::vector<std::string>& overrides);

}  // namespace ssm
