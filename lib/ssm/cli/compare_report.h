// A comparison of arms as people and programs read it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ssm/experiment/arm_comparison.h"

namespace ssm {

/// "separated (95 %) under budget equal steps", "not separated", "reversed between budgets"; "-"
/// where nothing can be said.
std::string SeparationText(const ArmDifference& difference);

/// What keeps a pair from being separated, or from being judged, in a sentence; "" without.
std::string SeparationNote(const std::vector<Arm>& arms, const ArmDifference& pair);

/// For each cell its arms, their differences and what was measured of the task; then what the
/// numbers stand for. `success`: the value that counts as one, where it was asked.
std::string CompareText(const std::vector<Arm>& arms, const ArmComparison& comparison,
                        std::optional<double> success, bool color);

/// The same as one document.
std::string CompareJson(const std::vector<Arm>& arms, const ArmComparison& comparison,
                        std::optional<double> success);

}  // namespace ssm
