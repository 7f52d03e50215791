// The width that a budget buys.
#pragma once

#include <cstdint>
#include <string>

#include "ssm/experiment/experiment_config.h"

namespace ssm {

/// The d_model at which the model of `config`, all else as it stands, costs what config.budget
/// says: of the widths the model's own checks accept (heads and groups share some only), the
/// nearest to a number of parameters or FLOPs, of two as near the narrower, and the widest whose
/// state is at most so many bytes. What the config has as d_model does not matter. Needs the
/// task loaded. `directory`: as for ModelOptions::Load.
///
/// Doubles a width from the narrowest until the budget is passed, then bisects, each width counted
/// in plan mode: about 2 log2 d_model counts, milliseconds. Costs are taken to grow with the
/// width; where one does not everywhere, the width found is one at which the cost passes the
/// budget, perhaps not the only one. The same on every machine.
///
/// @throws Error(kBadConfig) where no width is within 2 % (params) or 5 % (flops) of the budget or
/// takes so little state, with the two nearest and what they cost; where the model's checks accept
/// no width, or a layer starts from a file, which has its own width; where the state is the same
/// at every width. Error(kRefused) where the widths that would do do not fit into memory.
int64_t SolveWidth(ExperimentConfig& config, const std::string& directory);

}  // namespace ssm
