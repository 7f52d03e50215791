// Every mixer the tests ask: those of the library, and the small ones of tests/support.
#pragma once

#include <string>
#include <vector>

#include "ssm/models/model_options.h"

namespace ssm::test {

/// RegisterMixers, "leaky" and "tail".
MixerRegistry TestMixers();

struct MixerVariant {
  std::string type;
  std::string options;  // JSON
  int64_t d_model = 5;  // where it is asked alone
};
/// Each type with its defaults made small, and with every option that changes its code.
std::vector<MixerVariant> MixerVariants();

std::unique_ptr<MixerOptions> MakeMixer(const MixerRegistry& registry, const MixerVariant& variant);

/// The same mixer in every layer, written as JSON over small defaults (d_model 5, 2 layers).
std::unique_ptr<ModelOptions> MakeModel(const MixerRegistry& registry, const std::string& json);

}  // namespace ssm::test
