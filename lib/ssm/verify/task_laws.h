// The laws of tasks.
#pragma once

#include <vector>

#include "ssm/verify/laws.h"

namespace ssm {

/// Batches hold the same bits however time is cut, and scores agree to 1e-12.
LawResult ScoreLaw(const Task& task, const std::string& name, const LawRequest& request);

/// The laws of tasks/stream_laws.h over every split: pure, cuts, shapes, content; and known over
/// the test split, where there are enough sequences to tell.
std::vector<LawResult> StreamLaws(const Task& task, const std::string& name,
                                  const LawRequest& request);

}  // namespace ssm
