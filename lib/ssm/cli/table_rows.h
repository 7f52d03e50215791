// The rows of tables over runs: every finished cell of every run.
#pragma once

#include <string>
#include <vector>

#include "ssm/evaluation/results_file.h"

namespace ssm {

struct TableRow {
  std::string run;
  ResultsFile results;
};

/// Every cell in the results folders of `runs`, by task, experiment, model and length, then
/// whatever else tells cells apart, so that seeds stand together. A run named twice counts once;
/// files that are no results are left out, with a fault each. @throws Error(kMissingInput) for a
/// run that does not exist or was not evaluated.
std::vector<TableRow> ReadTableRows(const std::vector<std::string>& runs,
                                    std::vector<std::string>& faults);

/// Whether the name of an experiment does not tell which run a row is of.
bool NamesRepeat(const std::vector<TableRow>& rows);

/// "test, step, T 512, dt x2": what was asked.
std::string AskedText(const CellKey& key);

}  // namespace ssm
