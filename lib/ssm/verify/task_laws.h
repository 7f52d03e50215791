// The laws of tasks.
#pragma once

#include "ssm/verify/laws.h"

namespace ssm {

/// Streams give the same bits however they are cut; scores agree to 1e-12 however batches are.
LawResult CutLaw(const Task& task, const std::string& name, const LawRequest& request);
/// Sequence i of a split is the same whichever others were drawn before it or beside it.
LawResult PureLaw(const Task& task, const std::string& name, const LawRequest& request);

}  // namespace ssm
