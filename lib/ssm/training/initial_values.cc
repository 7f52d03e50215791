#include "ssm/training/initial_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/training/checkpoint_files.h"

namespace ssm {
namespace {

constexpr std::array<std::string_view, 1> kNoPrefix = {""};

std::string CheckpointsOf(const std::string& run) { return JoinPath(run, "checkpoints"); }

bool Damaged(const Error& error) {
  return error.code() == ExitCode::kBadData || error.code() == ExitCode::kMissingInput;
}

/// `error`, and which checkpoints of `run` to take instead: `ask` gives the words for a step.
template <class Ask>
[[noreturn]] void FailNamingWholeOnes(const Error& error, const std::string& run, const Ask& ask) {
  const std::vector<int64_t> whole = WholeCheckpoints(run);
  if (whole.empty()) {
    Fail(error.code(),
         fmt::format("{} No checkpoint of this run is whole; \"ssmctl train --resume --out {}\" "
                     "trains it from its start.",
                     error.what(), PathArgument(run)));
  }
  Fail(error.code(), fmt::format("{} Whole are those of step {}; take the newest by {}.",
                                 error.what(), fmt::join(whole, ", "), ask(whole.back())));
}

std::string AskByFlag(int64_t step) { return fmt::format("--checkpoint {}", step); }

struct Source {
  std::string name;
  TensorFile file;
};

auto AskAsSource(const std::string& run) {
  return [run](int64_t step) {
    return "train.init_from=" + CheckpointStore(CheckpointsOf(run)).PathOf(step);
  };
}

/// FindCheckpoint, naming the whole ones where there are checkpoints at all.
template <class Ask>
std::string Find(const std::string& run, const std::string& pointer, const Ask& ask) {
  try {
    return FindCheckpoint(run, pointer);
  } catch (const Error& error) {
    const std::string folder = CheckpointsOf(run);
    const bool any = IsDirectory(folder) && !CheckpointStore(folder).Steps().empty();
    if (!Damaged(error) || !any) throw;
    FailNamingWholeOnes(error, run, ask);
  }
}

Source ReadSource(const std::string& path) {
  const SafetensorsOptions finite{.refuse_non_finite = true};
  if (!IsDirectory(path)) return {path, ReadSafetensors(path, finite)};
  const std::string checkpoint = Find(path, "BEST", AskAsSource(path));
  const std::string name = JoinPath(checkpoint, kModelFile);
  try {
    return {name,
            ParseSafetensors(ReadCheckpointBytes(checkpoint, Moments::kSkip)[0], name, finite)};
  } catch (const Error& error) {
    if (!Damaged(error) || checkpoint == path) throw;
    FailNamingWholeOnes(error, path, AskAsSource(path));
  }
}

}  // namespace

template <Scalar T>
void InitialiseFrom(const std::string& path, Parameters<T>& into) {
  const Source source = ReadSource(path);
  CopyTensors<T>(source.file, source.name, into.store(), kNoPrefix, false, std::array{into.flat()});
  into.Touch();
}

template <Scalar T>
void RequireFit(const std::string& path, const ParameterStore& store) {
  const Source source = ReadSource(path);
  RequireTensors<T>(source.file, source.name, store, kNoPrefix, false);
}

template <Scalar T>
CheckpointState ReadValues(const std::string& run, const std::string& checkpoint,
                           Parameters<T>& into) {
  try {
    return ReadCheckpoint<T>(checkpoint, {&into, nullptr});
  } catch (const Error& error) {
    if (!Damaged(error) || IsWhole(checkpoint)) throw;
    FailNamingWholeOnes(error, run, AskByFlag);
  }
}

std::string FindValues(const std::string& run, const std::string& pointer) {
  return Find(run, pointer, AskByFlag);
}

bool IsWhole(const std::string& checkpoint) {
  try {
    ReadCheckpointState(checkpoint);
    return true;
  } catch (const Error& error) {
    if (!Damaged(error)) throw;
    return false;
  }
}

std::vector<int64_t> WholeCheckpoints(const std::string& run) {
  const CheckpointStore store(CheckpointsOf(run));
  std::vector<int64_t> whole;
  for (const int64_t step : store.Steps()) {
    if (IsWhole(store.PathOf(step))) whole.push_back(step);
  }
  return whole;
}

#define SSM_INSTANTIATE(T)                                                \
  template void InitialiseFrom(const std::string&, Parameters<T>&);       \
  template void RequireFit<T>(const std::string&, const ParameterStore&); \
  template CheckpointState ReadValues(const std::string&, const std::string&, Parameters<T>&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
