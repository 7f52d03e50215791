#include "ssm/training/checkpoint_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/sha256.h"
#include "ssm/base/text.h"
#include "ssm/config/config_file.h"

namespace ssm {
namespace {

constexpr int64_t kLargestText = int64_t{1} << 20;
constexpr size_t kMostFaultsListed = 20;

template <Scalar T>
void AddTensors(const ParameterStore& store, std::string_view prefix, std::span<const T> flat,
                TensorFile& file) {
  for (const ParameterInfo& info : store.infos()) {
    Array<T> values(info.param.shape);
    std::copy_n(flat.begin() + info.param.offset, values.size(), values.data());
    file.Add(std::string(prefix) + info.name, std::move(values));
  }
}

std::string ListFaults(const std::string& name, const std::vector<std::string>& faults) {
  std::string text = Quote(name) + " does not fit this model:";
  const size_t listed = std::min(faults.size(), kMostFaultsListed);
  for (size_t i = 0; i < listed; ++i) text += "\n  " + faults[i];
  if (listed < faults.size()) text += fmt::format("\n  and {} more", faults.size() - listed);
  return text;
}

template <Scalar T>
void CollectFaults(const TensorFile& file, const ParameterStore& store,
                   std::span<const std::string_view> prefixes, bool same_scalar,
                   std::vector<std::string>& faults) {
  std::vector<std::string> wanted;
  for (const ParameterInfo& info : store.infos()) {
    for (std::string_view prefix : prefixes) {
      wanted.push_back(std::string(prefix) + info.name);
      const NamedTensor* tensor = file.Find(wanted.back());
      if (tensor == nullptr) {
        faults.push_back("missing: " + wanted.back() + " " + info.param.shape.ToString());
      } else if (ShapeOf(tensor->values) != info.param.shape) {
        faults.push_back(fmt::format("shape of {}: {}, wanted {}", wanted.back(),
                                     ShapeOf(tensor->values).ToString(),
                                     info.param.shape.ToString()));
      } else if (std::holds_alternative<IntArray>(tensor->values) ||
                 (same_scalar && !std::holds_alternative<Array<T>>(tensor->values))) {
        faults.push_back("type of " + wanted.back() + ": not the run's dtype");
      }
    }
  }
  std::sort(wanted.begin(), wanted.end());
  for (const NamedTensor& tensor : file.tensors) {
    if (!std::binary_search(wanted.begin(), wanted.end(), tensor.name)) {
      faults.push_back("unknown: " + tensor.name + " " + ShapeOf(tensor.values).ToString());
    }
  }
}

template <Scalar T>
void CopyValues(const AnyArray& values, T* into) {
  std::visit(
      [into](const auto& array) {
        for (int64_t i = 0; i < array.size(); ++i) into[i] = static_cast<T>(array[i]);
      },
      values);
}

/// The checksum of `name`; the lines must name exactly kSummedFiles, in that order.
std::string ChecksumOf(const std::vector<std::string>& lines, size_t index,
                       const std::string& path) {
  const std::string_view name = kSummedFiles[index];
  const std::string& line = lines[index];
  if (line.size() != 66 + name.size() || line.substr(64, 2) != "  " || line.substr(66) != name) {
    Fail(ExitCode::kBadData, fmt::format("{}: line {} is {}; it must be a checksum, two blanks and "
                                         "\"{}\".",
                                         QuotePath(path), index + 1, Quote(line), name));
  }
  return line.substr(0, 64);
}

}  // namespace

template <Scalar T>
CheckpointBytes WriteCheckpointBytes(CheckpointState state, const TrainingState<T>& from) {
  const ParameterStore& store = from.parameters->store();
  TensorFile model, moments;
  model.metadata = moments.metadata = {{"format", "ssm-checkpoint-1"}};
  AddTensors<T>(store, "", std::as_const(*from.parameters).flat(), model);
  AddTensors<T>(store, "m.", std::as_const(*from.optimiser).m(), moments);
  AddTensors<T>(store, "v.", std::as_const(*from.optimiser).v(), moments);
  return {SafetensorsBytes(model), SafetensorsBytes(moments), WriteConfig(state)};
}

std::string ChecksumLines(const CheckpointBytes& bytes) {
  std::string lines;
  for (size_t i = 0; i < bytes.size(); ++i) {
    lines += fmt::format("{}  {}\n", Sha256(bytes[i]), kSummedFiles[i]);
  }
  return lines;
}

CheckpointBytes ReadCheckpointBytes(const std::string& checkpoint, Moments moments) {
  const std::string sums_path = JoinPath(checkpoint, kSumsFile);
  const std::vector<std::string> lines = SplitText(ReadFile(sums_path, kLargestText), '\n');
  if (lines.size() != kSummedFiles.size() + 1 || !lines.back().empty()) {
    Fail(ExitCode::kBadData, fmt::format("{} must have {} lines, each ended by a newline.",
                                         QuotePath(sums_path), kSummedFiles.size()));
  }
  CheckpointBytes bytes;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const std::string wanted = ChecksumOf(lines, i, sums_path);
    if (moments == Moments::kSkip && kSummedFiles[i] == kOptimizerFile) continue;
    const std::string path = JoinPath(checkpoint, kSummedFiles[i]);
    bytes[i] = ReadDataFile(path);
    if (Sha256(bytes[i]) != wanted) {
      Fail(ExitCode::kBadData, QuotePath(path) + " does not match its checksum in SHA256SUMS.");
    }
  }
  return bytes;
}

CheckpointState ParseCheckpointState(const std::string& bytes, const std::string& name) {
  CheckpointState state;
  try {
    ReadConfigText(bytes, name, {}, state);
  } catch (const Error& error) {
    Fail(ExitCode::kBadData, error.what());
  }
  return state;
}

template <Scalar T>
void RequireTensors(const TensorFile& file, const std::string& name, const ParameterStore& store,
                    std::span<const std::string_view> prefixes, bool same_scalar) {
  std::vector<std::string> faults;
  CollectFaults<T>(file, store, prefixes, same_scalar, faults);
  if (!faults.empty()) Fail(ExitCode::kBadData, ListFaults(name, faults));
}

template <Scalar T>
void CopyTensors(const TensorFile& file, const std::string& name, const ParameterStore& store,
                 std::span<const std::string_view> prefixes, bool same_scalar,
                 std::span<const std::span<T>> flats) {
  SSM_CHECK(prefixes.size() == flats.size(), "one buffer for each prefix");
  RequireTensors<T>(file, name, store, prefixes, same_scalar);
  for (const ParameterInfo& info : store.infos()) {
    for (size_t i = 0; i < prefixes.size(); ++i) {
      const NamedTensor* tensor = file.Find(std::string(prefixes[i]) + info.name);
      CopyValues<T>(tensor->values, flats[i].data() + info.param.offset);
    }
  }
}

template CheckpointBytes WriteCheckpointBytes(CheckpointState, const TrainingState<float>&);
template CheckpointBytes WriteCheckpointBytes(CheckpointState, const TrainingState<double>&);
template void RequireTensors<float>(const TensorFile&, const std::string&, const ParameterStore&,
                                    std::span<const std::string_view>, bool);
template void RequireTensors<double>(const TensorFile&, const std::string&, const ParameterStore&,
                                     std::span<const std::string_view>, bool);
template void CopyTensors(const TensorFile&, const std::string&, const ParameterStore&,
                          std::span<const std::string_view>, bool,
                          std::span<const std::span<float>>);
template void CopyTensors(const TensorFile&, const std::string&, const ParameterStore&,
                          std::span<const std::string_view>, bool,
                          std::span<const std::span<double>>);

}  // namespace ssm
