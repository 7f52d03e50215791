// A cell as one JSON object.
#pragma once

#include <string>

#include "ssm/evaluation/cell_result.h"

namespace ssm {

/// Keys: length, mode, split, dt_scale, examples, metric, higher_is_better, value, low, high,
/// undefined (why there is no value; null where there is one), loss, sequences, ceiling, heuristics
/// {name: value}, chance, excess, best_heuristic, verdict, verdict_difference {against, value, low,
/// high, basis: "paired" or that of a known value}, references [{name, role, basis, value, low,
/// high, difference, difference_low, difference_high}], metrics, strata {axis: {label: group}},
/// lags {octave: group}, steps {octave: group}, statistics, state_bytes_live, state_bytes_capacity,
/// counts {name: n} of the passes (absent in older files), curves {name: {x, y}}, and each curve's
/// y under its own name ("psychophysical_kernel"). A group is {value, low, high, share, references
/// {name: value}}. What is not known is null. Numbers read back to the same bits.
std::string CellToJson(const CellResult& cell);

/// The inverse; what CellToJson derives is not read. @throws Error(kBadData): one sentence naming
/// `source`.
CellResult CellFromJson(const std::string& text, const std::string& source);

}  // namespace ssm
