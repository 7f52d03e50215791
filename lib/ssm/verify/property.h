// Laws at random: any mixer, randomly configured, at a random length; failures made small.
#pragma once

#include <string>
#include <vector>

#include "ssm/verify/laws.h"

namespace ssm {

/// One law of one mixer. The law draws its own inputs, cuts, starts and paddings from `seed`.
struct PropertyCase {
  std::string type;                    // "attention"
  std::vector<std::string> overrides;  // of its options: "heads=2", "cache.type=window"
  int64_t d_model = 1;
  int64_t T = 1;
  std::string law;  // "split"
  bool float32 = false;
  uint64_t seed = 0;
};

/// Case `index` of a registered type: split, step, causal, resume, reset or batch; d_model 1 to 8;
/// T 1 to 96, most of them below 17. Options that do not fit together or into d_model are drawn
/// again. @throws Error(kInternal) when no fitting ones are found.
PropertyCase DrawProperty(const MixerRegistry& mixers, const std::string& type, uint64_t index);

/// What the law says. An error in single precision that double shows too, in proportion to their
/// units of rounding, is the conditioning of a random case and passes. Whatever is thrown while the
/// mixer is built fails it. `replay` runs the case again, in both scalars, by itself.
LawResult JudgeProperty(const MixerRegistry& mixers, const PropertyCase& property);

/// The smallest case that still fails, found by undoing overrides and lowering T and d_model one at
/// a time. `property` fails. Cost: some tens of judgements.
PropertyCase ShrinkProperty(const MixerRegistry& mixers, PropertyCase property);

}  // namespace ssm
