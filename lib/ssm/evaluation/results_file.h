// results/*.json: one finished cell each, with all that tells which model said it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ssm/evaluation/cell_result.h"
#include "ssm/statistics/hierarchical_bootstrap.h"

namespace ssm {

/// What a cell was computed from. Equal origins, keys and eval.batch give equal bits on one machine
/// type.
struct ResultOrigin {
  std::string config_hash;             // of the experiment as evaluated, overrides included
  std::vector<std::string> overrides;  // what differs from the trained one: "task.noise=2"
  std::string checkpoint;              // "step-00000200"
  std::string checkpoint_sha256;
  int64_t step = 0;
  int64_t seed = 0;         // seed.eval
  std::string dtype;        // "float32"
  std::string version;      // of the program
  std::string data_sha256;  // Task::DataDigest; empty where nothing was read
  bool operator==(const ResultOrigin&) const = default;
};

struct ResultsFile {
  std::string name;   // of the experiment
  std::string task;   // its type
  std::string model;  // "2 x s4d, d_model 64"
  int64_t params = 0;
  double flops = 0;  // its training took up to this checkpoint; 0: not known
  ResultOrigin origin;
  CellResult cell;
  ClusterSums sums;  // the model's metric, sequence by sequence; empty in older files
};

/// "test-forward-T256-n4096-step200-seed1000.json": all that makes a cell of a run another one.
/// "-dt2" follows for another dt_scale, and the first 8 digits of the config hash where there are
/// overrides.
std::string ResultsFileName(const CellKey& key, const ResultOrigin& origin);

/// Replaces `path` at once. Throws Error(kCannotCreate), Error(kIoError).
void WriteResultsFile(const std::string& path, const ResultsFile& results);
/// @throws Error(kMissingInput), Error(kBadData): one sentence, also for files of other programs.
ResultsFile ReadResultsFile(const std::string& path);

/// The cell in `path` when it is finished and comes from the same origin and (resolved) key;
/// nothing when it must be computed: absent, damaged, of another origin, or without the counts that
/// older programs did not tell.
std::optional<ResultsFile> FindFinished(const std::string& path, const ResultOrigin& origin,
                                        const CellKey& key);

/// Every results file of a run's results folder, sorted by file name; none when there is no folder.
/// A *.json there that is no result is left out, and `faults` gets a sentence about it.
std::vector<ResultsFile> ReadGoodResults(const std::string& folder,
                                         std::vector<std::string>& faults);
/// The same; throws Error(kBadData) with a line for each that is no result.
std::vector<ResultsFile> ReadResults(const std::string& folder);

}  // namespace ssm
