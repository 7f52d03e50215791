#include "ssm/experiment/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/log.h"
#include "ssm/base/text.h"
#include "ssm/config/config_file.h"
#include "ssm/training/initial_values.h"

namespace ssm {
namespace {

constexpr std::string_view kTemporary = ".tmp";

/// The hash of the config that the newest whole checkpoint was made under; empty without one.
std::string KnownHash(const RunDirectory& run) {
  if (!IsDirectory(run.checkpoints())) return "";
  const std::vector<int64_t> steps = WholeCheckpoints(run.path());
  if (steps.empty()) return "";
  return ReadCheckpointState(CheckpointStore(run.checkpoints()).PathOf(steps.back())).config_hash;
}

}  // namespace

bool ReadStoredConfig(const RunDirectory& run, ExperimentConfig& before, ExperimentConfig* given) {
  try {
    ReadConfig({run.config(), {}}, before);
    return true;
  } catch (const Error& error) {
    if (given != nullptr && ConfigHash(*given) == KnownHash(run)) {
      LogWarning(
          fmt::format("{} The config given is the one its checkpoints were made under, and is "
                      "written there.",
                      error.what()));
      return false;
    }
    Fail(error.code(),
         fmt::format(
             "{} To go on, give the config the run was trained with, unchanged: ssmctl train "
             "CONFIG --resume --out {}",
             error.what(), PathArgument(run.path())));
  }
}

ResumeDecision JudgeResume(ExperimentConfig& before, ExperimentConfig& after) {
  ResumeDecision decision{.unchanged = true};
  std::vector<std::string> faults;
  for (const ConfigDifference& change : CompareConfigs(before, after)) {
    if (change.role == FieldRole::kCadence) continue;
    decision.unchanged = false;
    if (change.role == FieldRole::kIdentity) {
      faults.push_back(
          fmt::format("{}: the run has {}, now {}", change.pointer, change.before, change.after));
    }
  }
  if (after.train.steps < before.train.steps) {
    faults.push_back(fmt::format("/train/steps: the run has {}, now {}; it may only grow",
                                 before.train.steps, after.train.steps));
  } else if (after.train.steps > before.train.steps) {
    decision.extended_from = before.train.steps;
  }
  if (!faults.empty()) {
    Fail(ExitCode::kBadConfig,
         "A resumed run keeps its experiment; train another run (with train.init_from, if its "
         "parameters are wanted), or undo:\n  " +
             Join(faults, "\n  "));
  }
  return decision;
}

void RequireRunOrRemains(const RunDirectory& run) {
  if (Exists(run.config())) return;
  const std::array<std::string, 4> remains = {BaseName(run.lease()), BaseName(run.log()),
                                              BaseName(run.manifest()), BaseName(run.status())};
  for (const std::string& name : ListDirectory(run.path())) {
    const bool known = std::find(remains.begin(), remains.end(), name) != remains.end();
    if (known || name.ends_with(kTemporary)) continue;
    Fail(ExitCode::kCannotCreate, QuotePath(run.path()) +
                                      " is no run: it has no config.json, but it "
                                      "holds " +
                                      Quote(name) + ".");
  }
}

void RemoveTemporaries(const RunDirectory& run) {
  for (const std::string& name : ListDirectory(run.path())) {
    if (name.ends_with(kTemporary)) RemoveTree(JoinPath(run.path(), name));
  }
}

std::string ChangedSince(const RunManifest& then, const RunManifest& now) {
  const std::array<std::pair<const char*, bool>, 8> facts = {{
      {"version", then.version != now.version},
      {"commit", then.commit != now.commit},
      {"compiler", then.compiler != now.compiler},
      {"build type", then.build_type != now.build_type},
      {"flags", then.flags != now.flags},
      {"instruction sets", then.isa != now.isa},
      {"FFTW", then.fftw != now.fftw},
      {"processor", then.cpu != now.cpu},
  }};
  std::vector<std::string> changed;
  for (const auto& [name, differs] : facts) {
    if (differs) changed.emplace_back(name);
  }
  return Join(changed, ", ");
}

}  // namespace ssm
