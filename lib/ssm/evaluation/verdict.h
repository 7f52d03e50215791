// Whether a model is better than the best cheap rule, as far as its interval tells.
#pragma once

#include <string>

#include "ssm/evaluation/cell_result.h"

namespace ssm {

enum class Verdict { kBetter, kNotSeparated, kWorse, kUnknown };

/// Whom the verdict is about: the best heuristic, or chance where there is none or chance is
/// better; null: nobody is known.
const ReferenceResult* VerdictOpponent(const CellResult& cell);

/// Judges the difference to the opponent: kBetter when the whole 95 % interval is on the better
/// side of 0, kUnknown where there is no interval or a single sequence. One model of one seed: no
/// claim about architectures.
Verdict Judge(const CellResult& cell);

/// "better than the best heuristic by its interval", "not separated from chance", "not judged: ..."
/// and why, "nothing to compare with".
std::string VerdictSentence(const CellResult& cell);
/// "better", "not separated", "worse", "-".
std::string VerdictWord(const CellResult& cell);

}  // namespace ssm
