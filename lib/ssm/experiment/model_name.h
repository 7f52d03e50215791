// A model in a few words.
#pragma once

#include <string>

#include "ssm/models/model_options.h"

namespace ssm {

/// "2 x s4d, d_model 64": the mixers from the first layer to the last, runs of one type counted.
std::string ModelName(const ModelOptions& options);

}  // namespace ssm
