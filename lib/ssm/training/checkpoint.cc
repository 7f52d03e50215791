#include "ssm/training/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ssm/base/crash_point.h"
#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/log.h"
#include "ssm/base/text.h"
#include "ssm/training/checkpoint_files.h"

namespace ssm {
namespace {

constexpr std::string_view kPrefix = "step-";
constexpr size_t kDigits = 8;
constexpr std::string_view kRefused = ".refused";
constexpr std::string_view kTemporary = ".tmp";
constexpr int64_t kLargestPointer = 4096;  // bytes

std::string NameOf(int64_t step) { return fmt::format("{}{:08}", kPrefix, step); }

/// Nothing unless `name` is exactly what NameOf gives for some step.
std::optional<int64_t> StepOf(std::string_view name) {
  if (!name.starts_with(kPrefix) || name.size() < kPrefix.size() + kDigits) return std::nullopt;
  const std::optional<int64_t> step = ParseInteger(name.substr(kPrefix.size()));
  if (!step || *step < 0 || NameOf(*step) != name) return std::nullopt;
  return step;
}

void WritePointer(const std::string& folder, const char* pointer, int64_t step) {
  const std::string path = JoinPath(folder, pointer);
  const std::string text = NameOf(step) + "\n";
  if (Exists(path) && ReadFile(path, kLargestPointer) == text) return;
  AtomicWriteFile(path, text);
}

/// What the pointer in `file` names.
std::string Pointed(const std::string& folder, const std::string& file) {
  const std::string target(Trim(ReadFile(file, kLargestPointer)));
  const std::string path = JoinPath(folder, target);
  if (StepOf(target) && IsDirectory(path)) return path;
  Fail(ExitCode::kBadData,
       fmt::format("{} says {}, and there is no such checkpoint.", QuotePath(file), Quote(target)));
}

/// A run that never validated has no best checkpoint, and its newest may stand for it.
void RequireNeverValidated(const std::string& newest, const std::string& file) {
  if (ReadCheckpointState(newest).early_stop.best_step > 0) {
    Fail(ExitCode::kMissingInput,
         fmt::format("{} is missing, which names the best checkpoint.", QuotePath(file)));
  }
  LogInfo(fmt::format("the run was never validated: its newest checkpoint, {}, stands for the best",
                      BaseName(newest)));
}

/// The folder `path`, whole or not at all.
void Commit(const std::string& path, const CheckpointBytes& bytes) {
  const std::string temporary = path + std::string(kTemporary);
  RemoveTree(temporary);
  MakeDirectory(temporary);
  Pass(CrashPoint::kCheckpointOpen);
  try {
    for (size_t i = 0; i < bytes.size(); ++i) {
      WriteNewFile(JoinPath(temporary, kSummedFiles[i]), bytes[i]);
    }
    WriteNewFile(JoinPath(temporary, kSumsFile), ChecksumLines(bytes));
    FsyncDirectory(temporary);
    Pass(CrashPoint::kCheckpointRename);
    RenameDurably(temporary, path);
  } catch (const Error&) {
    RemoveTree(temporary);  // a full disk gets back what it has
    throw;
  }
}

/// The moments must be what an optimiser can have made.
template <Scalar T>
void CheckSecondMoments(std::span<const T> v, const std::string& path) {
  if (std::any_of(v.begin(), v.end(), [](T x) { return x < 0; })) {
    Fail(ExitCode::kBadData, QuotePath(path) + " holds a negative second moment.");
  }
}

template <Scalar T>
void Parse(const CheckpointBytes& bytes, const std::string& checkpoint,
           const TrainingState<T>& into) {
  const ParameterStore& store = into.parameters->store();
  const SafetensorsOptions finite{.refuse_non_finite = true};
  const std::string model_path = JoinPath(checkpoint, kModelFile);
  const TensorFile model = ParseSafetensors(bytes[0], model_path, finite);
  Array<T> values(Shape{store.flat_size()}), m(Shape{store.flat_size()}),
      v(Shape{store.flat_size()});
  const std::array<std::string_view, 1> no_prefix = {""};
  CopyTensors<T>(model, model_path, store, no_prefix, true, std::array{values.flat()});
  if (into.optimiser != nullptr) {
    const std::string path = JoinPath(checkpoint, kOptimizerFile);
    const TensorFile moments = ParseSafetensors(bytes[1], path, finite);
    const std::array<std::string_view, 2> prefixes = {"m.", "v."};
    CopyTensors<T>(moments, path, store, prefixes, true, std::array{m.flat(), v.flat()});
    CheckSecondMoments<T>(std::as_const(v).flat(), path);
  }
  std::copy_n(values.data(), values.size(), into.parameters->flat().data());
  into.parameters->Touch();
  if (into.optimiser == nullptr) return;
  std::copy_n(m.data(), m.size(), into.optimiser->m().data());
  std::copy_n(v.data(), v.size(), into.optimiser->v().data());
}

}  // namespace

CheckpointStore::CheckpointStore(std::string folder) : folder_(std::move(folder)) {
  MakeDirectories(folder_);
}

std::string CheckpointStore::PathOf(int64_t step) const { return JoinPath(folder_, NameOf(step)); }

std::vector<int64_t> CheckpointStore::Steps() const {
  std::vector<int64_t> steps;
  for (const std::string& name : ListDirectory(folder_)) {
    if (const auto step = StepOf(name)) steps.push_back(*step);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

template <Scalar T>
void CheckpointStore::Save(const CheckpointState& state, const TrainingState<T>& from,
                           int64_t keep) {
  const std::string path = PathOf(state.step);
  if (!IsDirectory(path)) {
    Commit(path, WriteCheckpointBytes(state, from));
  }
  Pass(CrashPoint::kCheckpointPointer);
  Point(state);
  RemoveOld(state, keep);
}

void CheckpointStore::Point(const CheckpointState& state) const {
  WritePointer(folder_, "LATEST", state.step);
  const int64_t best = state.early_stop.best_step;
  if (best > 0 && IsDirectory(PathOf(best))) WritePointer(folder_, "BEST", best);
}

void CheckpointStore::RemoveOld(const CheckpointState& state, int64_t keep) const {
  const std::vector<int64_t> steps = Steps();
  for (size_t i = 0; i + static_cast<size_t>(keep) < steps.size(); ++i) {
    if (steps[i] == state.early_stop.best_step || steps[i] == state.step) continue;
    // Renamed first: a half-removed folder must not look like a checkpoint.
    const std::string path = PathOf(steps[i]);
    const std::string going = path + std::string(kTemporary);
    Pass(CrashPoint::kCheckpointRemove);
    RenameDurably(path, going);
    Pass(CrashPoint::kCheckpointRemove);
    RemoveTree(going);
  }
}

void CheckpointStore::RemoveLeftovers() const {
  for (const std::string& name : ListDirectory(folder_)) {
    if (name.ends_with(kTemporary)) RemoveTree(JoinPath(folder_, name));
  }
}

template <Scalar T>
std::optional<CheckpointState> CheckpointStore::LoadNewest(
    const TrainingState<T>& into, int64_t keep, std::vector<RefusedCheckpoint>& refused) {
  RemoveLeftovers();
  std::vector<int64_t> steps = Steps();
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const std::string path = PathOf(*step);
    try {
      const CheckpointState state = ReadCheckpoint(path, into);
      Point(state);
      RemoveOld(state, keep);
      return state;
    } catch (const Error& error) {
      if (error.code() != ExitCode::kBadData && error.code() != ExitCode::kMissingInput) throw;
      const std::string aside = path + std::string(kRefused);
      RemoveTree(aside);
      RenameDurably(path, aside);
      refused.push_back({aside, error.what()});
    }
  }
  return std::nullopt;
}

CheckpointState ReadCheckpointState(const std::string& checkpoint) {
  const CheckpointBytes bytes = ReadCheckpointBytes(checkpoint, Moments::kSkip);
  return ParseCheckpointState(bytes[2], JoinPath(checkpoint, kStateFile));
}

template <Scalar T>
CheckpointState ReadCheckpoint(const std::string& checkpoint, const TrainingState<T>& into) {
  const CheckpointBytes bytes =
      ReadCheckpointBytes(checkpoint, into.optimiser != nullptr ? Moments::kRead : Moments::kSkip);
  CheckpointState state = ParseCheckpointState(bytes[2], JoinPath(checkpoint, kStateFile));
  const std::optional<int64_t> named = StepOf(BaseName(checkpoint));
  if (named && *named != state.step) {
    Fail(ExitCode::kBadData,
         fmt::format("{} says step {} in its state.json.", Quote(checkpoint), state.step));
  }
  Parse(bytes, checkpoint, into);
  return state;
}

std::string FindCheckpoint(const std::string& path, const std::string& pointer) {
  if (Exists(JoinPath(path, kStateFile))) return path;
  const std::string folder = JoinPath(path, "checkpoints");
  if (!IsDirectory(folder)) {
    Fail(ExitCode::kMissingInput,
         QuotePath(path) + " is neither a run nor a checkpoint: it has no folder \"checkpoints\".");
  }
  const std::vector<int64_t> steps = CheckpointStore(folder).Steps();
  if (steps.empty()) {
    Fail(ExitCode::kMissingInput, QuotePath(folder) + " holds no checkpoint yet.");
  }
  const std::string file = JoinPath(folder, pointer);
  if (Exists(file)) return Pointed(folder, file);
  const std::string newest = JoinPath(folder, NameOf(steps.back()));
  if (pointer == "BEST") RequireNeverValidated(newest, file);
  return newest;
}

template void CheckpointStore::Save(const CheckpointState&, const TrainingState<float>&, int64_t);
template void CheckpointStore::Save(const CheckpointState&, const TrainingState<double>&, int64_t);
template std::optional<CheckpointState> CheckpointStore::LoadNewest(
    const TrainingState<float>&, int64_t, std::vector<RefusedCheckpoint>&);
template std::optional<CheckpointState> CheckpointStore::LoadNewest(
    const TrainingState<double>&, int64_t, std::vector<RefusedCheckpoint>&);
template CheckpointState ReadCheckpoint(const std::string&, const TrainingState<float>&);
template CheckpointState ReadCheckpoint(const std::string&, const TrainingState<double>&);

}  // namespace ssm
