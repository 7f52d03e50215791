// Parameters that come from somewhere else: another run's, or a run's own for evaluation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ssm/training/checkpoint.h"

namespace ssm {

/// "train.init_from": parameters by name from a run (its best checkpoint), a checkpoint folder or a
/// safetensors file of either precision; `into` must have the same names and shapes.
/// @throws Error(kBadData) listing every missing, unknown and misshapen tensor;
/// Error(kMissingInput). Where a run's checkpoint is damaged, the message names those that are not.
template <Scalar T>
void InitialiseFrom(const std::string& path, Parameters<T>& into);

/// Whether InitialiseFrom would do, from the layout alone. Throws as it does.
template <Scalar T>
void RequireFit(const std::string& path, const ParameterStore& store);

/// The parameters of a checkpoint of `run`, for evaluation; damaged moments do not matter.
/// @throws as ReadCheckpoint; where it is damaged, the message names those of the run that are not
/// and how to ask for one. One that is whole may still be of another model.
template <Scalar T>
CheckpointState ReadValues(const std::string& run, const std::string& checkpoint,
                           Parameters<T>& into);

/// FindCheckpoint for evaluation: where it throws, the message also names the checkpoints of the
/// run that are whole and how to ask for one.
std::string FindValues(const std::string& run, const std::string& pointer);

/// Whether the parameters of a checkpoint match their checksums.
bool IsWhole(const std::string& checkpoint);

/// Steps of a run's checkpoints whose parameters match their checksums, ascending.
std::vector<int64_t> WholeCheckpoints(const std::string& run);

}  // namespace ssm
