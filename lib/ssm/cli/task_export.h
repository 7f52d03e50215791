// A task's sequences as NumPy files.
#pragma once

#include <cstdint>
#include <string>

#include "ssm/base/workers.h"
#include "ssm/evaluation/evaluate.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// Refuses what an export could not be written to: a file, or a folder that holds something. Tells
/// before a long measurement. @throws Error(kCannotCreate).
void RequireFreshFolder(const std::string& folder);

/// Makes `folder` if need be and writes what the task has of reals, tokens, dt, start, lengths,
/// targets, weights, references, strata, lags, latents (one .npy each, sequences on the first axis,
/// layouts of TaskPiece) and spec.json: names of channels, fields, references, strata and latents
/// beside what `summary` (a JSON object) holds. Memory: all sequences at once.
/// @throws what RequireFreshFolder throws, Error(kIoError).
void ExportTask(const Task& task, uint64_t seed, const CellKey& key, Workers& workers,
                const std::string& folder, const std::string& summary);

}  // namespace ssm
