// Where S4's Lambda, P and B start.
#pragma once

#include "ssm/mixers/s4.h"
#include "ssm/nn/init.h"

namespace ssm {

/// The positive frequencies of HiPPO-LegS's normal part, ascending, the same in every channel:
/// A_imag [H, M]. The real parts are all -1/2.
Init S4FrequencyInit(const S4Options& options);
/// P [H, M, 2] and B [H, M, 2]: V* P and V* B of the same modes, each eigenvector turned so that
/// its B is real and not negative (see systems/hippo_low_rank.h).
Init S4LowRankInit(const S4Options& options);
Init S4InputInit(const S4Options& options);

}  // namespace ssm
