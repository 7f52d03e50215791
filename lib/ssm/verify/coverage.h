// Which operations a model is made of.
#pragma once

#include <set>
#include <string>

#include "ssm/models/model_options.h"
#include "ssm/verify/op_case.h"

namespace ssm {

/// Names of every op that the model records: with real inputs and ids, fresh rows and rows that go
/// on, starts and padding, with and without per-step dt, preparing, running and losing by every
/// objective.
std::set<std::string> OpsOf(const ModelOptions& options);

}  // namespace ssm
