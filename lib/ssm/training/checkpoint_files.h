// The four files of one checkpoint, as bytes. Used by checkpoint.cc alone.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "ssm/io/safetensors.h"
#include "ssm/training/checkpoint.h"

namespace ssm {

inline constexpr std::string_view kModelFile = "model.safetensors";
inline constexpr std::string_view kOptimizerFile = "optimizer.safetensors";
inline constexpr std::string_view kStateFile = "state.json";
inline constexpr std::string_view kSumsFile = "SHA256SUMS";
/// What SHA256SUMS covers, in its order.
inline constexpr std::array<std::string_view, 3> kSummedFiles = {kModelFile, kOptimizerFile,
                                                                 kStateFile};

/// Bytes of kSummedFiles.
using CheckpointBytes = std::array<std::string, 3>;

template <Scalar T>
CheckpointBytes WriteCheckpointBytes(CheckpointState state, const TrainingState<T>& from);
/// "HEX  NAME\n" for each file, as sha256sum(1) writes and checks it.
std::string ChecksumLines(const CheckpointBytes& bytes);

/// Whether the moments are wanted: only training goes on from them.
enum class Moments { kRead, kSkip };

/// All bytes of a checkpoint, each file equal to its checksum; with Moments::kSkip those of
/// kOptimizerFile are empty, whatever is there.
/// @throws Error(kBadData), Error(kMissingInput).
CheckpointBytes ReadCheckpointBytes(const std::string& checkpoint, Moments moments);
/// @throws Error(kBadData).
CheckpointState ParseCheckpointState(const std::string& bytes, const std::string& name);

/// @throws Error(kBadData) as CopyTensors.
template <Scalar T>
void RequireTensors(const TensorFile& file, const std::string& name, const ParameterStore& store,
                    std::span<const std::string_view> prefixes, bool same_scalar);

/// The tensors of `file` named PREFIX + parameter into `flat`, all or none.
/// @throws Error(kBadData) listing every missing, unknown, misshapen and (with `same_scalar`)
/// wrongly typed tensor. `prefixes`: of every tensor the file may hold.
template <Scalar T>
void CopyTensors(const TensorFile& file, const std::string& name, const ParameterStore& store,
                 std::span<const std::string_view> prefixes, bool same_scalar,
                 std::span<const std::span<T>> flats);

}  // namespace ssm
