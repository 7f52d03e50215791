// What scoring a cell will take, before it takes it.
#pragma once

#include <cstdint>

#include "ssm/evaluation/evaluate.h"

namespace ssm {

/// Bytes that ScoreCell takes beside the model's parameters, counted in plan mode: a forward pass
/// on each thread, pieces and states of the groups that walk together, and what is kept of every
/// sequence. `model`: null as in EvalSubject. `key` is resolved (ResolveCell).
template <Scalar T>
double CellBytes(const SequenceModel<T>* model, const TaskSpec& spec, const CellKey& key,
                 int64_t batch, int threads);

/// @throws Error(kRefused) with both numbers and what to lower when a cell of `subject` does not
/// fit into the memory that is free.
template <Scalar T>
void RefuseCellThatDoesNotFit(const EvalSubject<T>& subject, const CellKey& key);

}  // namespace ssm
