// What an evaluation keeps of every sequence until its cell is finished.
#pragma once

#include "ssm/evaluation/evaluate.h"

namespace ssm {

/// Bytes that ScoreCell and Summarise keep of one sequence of `length` tokens: its loss, and four
/// sums for every predictor, octave of lag or step, and stratum. As if it met every group of its
/// task: not less than what is taken.
double SequenceBytes(const TaskSpec& spec, int64_t length);

}  // namespace ssm
