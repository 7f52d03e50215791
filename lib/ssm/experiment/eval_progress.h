// What a person sees while a cell is scored.
#pragma once

#include "ssm/evaluation/evaluate.h"
#include "ssm/experiment/progress_line.h"

namespace ssm {

/// The share of a cell that is done: by sequences, or by tokens where they tell more.
double ShareDone(const CellKey& key, const CellProgress& done);

/// ScoreCell with a line of progress, refused beforehand where it does not fit (eval_plan.h). `key`
/// is resolved.
template <Scalar T>
CellScore ScoreWatched(EvalSubject<T> subject, const CellKey& key);

}  // namespace ssm
