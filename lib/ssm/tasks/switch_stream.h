// One sequence of evidence.switch, drawn step by step.
#pragma once

#include <memory>

#include "ssm/base/random.h"
#include "ssm/tasks/switch_law.h"

namespace ssm {

/// Input channels: sample, [seen]; with irregular gaps the time since the sample before is the
/// step's dt. References as SwitchReferences; latents: exact log-odds, side; lags: samples since
/// the side switched, or since the start. `observe`: references and latents are wanted. O(1) a
/// step, constant memory.
std::unique_ptr<SequenceStream> MakeSwitchStream(const SwitchLaw& law, Random random, bool observe);

}  // namespace ssm
