// Whether a model is better than the best cheap rule, as far as its interval tells.
#pragma once

#include <string>

#include "ssm/evaluation/cell_result.h"

namespace ssm {

enum class Verdict { kAbove, kNotSeparated, kBelow, kUnknown };

/// Judges the difference to the best heuristic (to chance where there is none): kAbove when the
/// whole 95 % interval is on the better side of 0. One model of one seed: no claim about
/// architectures.
Verdict Judge(const CellResult& cell);

/// "above the best heuristic by its interval", "not separated from chance", ...
std::string VerdictSentence(const CellResult& cell);
/// "above", "not separated", "below", "-".
std::string VerdictWord(const CellResult& cell);

}  // namespace ssm
