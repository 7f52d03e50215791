// The config file beside a published model, of another program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ssm/interop/published_model.h"

namespace ssm {

/// What such a file adds to the tensors.
struct ForeignConfig {
  int64_t context = 0;               // tokens the model was trained on; 0: not said
  std::vector<std::string> ignored;  // keys nothing was made of, in their order
};

/// Reads JSON of any keys. What tells another model than the tensors is refused, all at once: a
/// size, depth or tie they contradict, another kind of model, a norm's epsilon or an activation
/// this library does not have (the tensors alone would run, and answer otherwise). A key that is
/// null is ignored, and so is one that tells nothing.
/// @throws Error(kBadData), Error(kMissingInput).
ForeignConfig ReadForeignConfig(const std::string& path, const PublishedModel& model);

/// A config of the family's common keys: sizes, depth, epsilon, whether the head is tied, and
/// `context` where it is above 0.
std::string ForeignConfigText(const PublishedModel& model, int64_t context);

}  // namespace ssm
