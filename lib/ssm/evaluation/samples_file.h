// One line a sequence: what it scored, beside what each reference scored on it.
#pragma once

#include <string>

#include "ssm/evaluation/cell_result.h"

namespace ssm {

/// JSON Lines for every sequence of a cell: {"index", "length", "mode", "split", "loss", METRIC:
/// {"model": v, REFERENCE: v, ...}, ...}. A sequence without scored steps has null values.
std::string SampleLines(const CellScore& cell);

}  // namespace ssm
