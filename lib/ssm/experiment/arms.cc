#include "ssm/experiment/arms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <set>
#include <tuple>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/experiment/checkpoint_choice.h"
#include "ssm/experiment/model_name.h"
#include "ssm/experiment/plan.h"
#include "ssm/experiment/run_directory.h"

namespace ssm {
namespace {

/// A run, and the folder of runs it was met in.
struct FoundRun {
  std::string path, group;
};

bool IsRun(const std::string& path) { return Exists(RunDirectory::Open(path).config()); }

/// Every run of `groups`, each once.
std::vector<FoundRun> FindRuns(const std::vector<std::string>& groups) {
  std::vector<FoundRun> runs;
  std::set<std::filesystem::path> met;
  const auto add = [&](const std::string& path, const std::string& group) {
    std::error_code error;
    if (met.insert(std::filesystem::weakly_canonical(path, error)).second) {
      runs.push_back({path, group});
    }
  };
  for (const std::string& group : groups) {
    if (!IsDirectory(group)) {
      throw Error(ExitCode::kMissingInput, fmt::format("{}: there is no such folder", group));
    }
    if (IsRun(group)) {
      add(group, "");
      continue;
    }
    bool any = false;
    for (const std::string& name : ListDirectory(group)) {
      const std::string path = JoinPath(group, name);
      if (name.starts_with(".") || !IsDirectory(path) || !IsRun(path)) continue;
      add(path, group);
      any = true;
    }
    if (any) continue;
    throw Error(
        ExitCode::kMissingInput,
        fmt::format("{}: it is neither a run nor a folder of runs: no config.json stands in "
                    "it or in its folders",
                    group));
  }
  return runs;
}

/// @throws Error(kMissingInput) with a line for each run whose training has not come to its end.
void RequireFinished(const std::vector<FoundRun>& runs) {
  std::vector<std::string> faults;
  for (const FoundRun& run : runs) {
    const RunStatus status = RunDirectory::Open(run.path).ReadStatus();
    if (status.state == "finished") continue;
    const bool goes_on = status.state == "stopped" || status.state == "running";
    faults.push_back(fmt::format(
        "{}: its training is not finished ({} at step {}); {}", run.path, status.state,
        FormatCount(status.step),
        goes_on ? "let it end (\"ssmctl train --resume --out " + PathArgument(run.path) +
                      "\"), or leave it out"
                : "an arm of the runs that did not fail would flatter it, so train it again or "
                  "leave the arm out"));
  }
  if (!faults.empty()) throw Error(ExitCode::kMissingInput, Join(faults, "\n"));
}

/// Of cells that were scored at several steps, those of the best checkpoint.
std::vector<ResultsFile> OfOneStep(const RunDirectory& run, std::vector<ResultsFile> all) {
  std::vector<ResultsFile> kept;
  std::string best;
  for (ResultsFile& result : all) {
    const auto same = std::find_if(kept.begin(), kept.end(), [&](const ResultsFile& other) {
      return SameCell(result, other);
    });
    if (same == kept.end()) {
      kept.push_back(std::move(result));
      continue;
    }
    if (best.empty()) best = BaseName(ChosenCheckpoint(run, "best"));
    if (result.origin.checkpoint == best) {
      *same = std::move(result);
    } else if (same->origin.checkpoint != best) {
      throw Error(
          ExitCode::kUsage,
          fmt::format("{}: it has results of {} at steps {} and {}, neither of which is its "
                      "best checkpoint; remove those that are not meant from {}",
                      run.path(), CellText(result), same->origin.step, result.origin.step,
                      run.results()));
    }
  }
  return kept;
}

ArmUnit ReadUnit(const std::string& path, const ExperimentConfig& config) {
  const RunDirectory run = RunDirectory::Open(path);
  ArmUnit unit{path, config.seed.init, config.seed.data, run.ReadStatus().step,
               OfOneStep(run, ReadResults(run.results()))};
  if (!unit.results.empty()) return unit;
  throw Error(
      ExitCode::kMissingInput,
      fmt::format("{}: it has no results; run \"ssmctl eval {}\" first", path, PathArgument(path)));
}

/// The config's hash with seeds that all runs share.
std::string HashWithoutSeeds(ExperimentConfig& config) {
  const std::array<int64_t, 3> seeds = {config.seed.init, config.seed.data, config.seed.eval};
  config.seed.init = config.seed.data = config.seed.eval = 0;
  std::string hash = ConfigHash(config);
  config.seed.init = seeds[0];
  config.seed.data = seeds[1];
  config.seed.eval = seeds[2];
  return hash;
}

/// What stays of a name without the seed and what follows it: "gru-lr_0.004" of
/// "gru-lr_0.004-seed_1-0badcafe".
std::string WithoutSeed(const std::string& name) { return name.substr(0, name.find("-seed")); }

std::string CommonStart(const std::string& a, const std::string& b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  std::string start(a.begin(), end);
  if (start.size() == a.size() && start.size() == b.size()) return start;
  start.resize(start.find_last_not_of("-_.") + 1);
  return start;
}

std::string MixersOf(const ModelOptions& model) {
  std::vector<std::string> types;
  for (int64_t i = 0; i < model.layers.size(); ++i) {
    const std::string& type = model.layers.at(i).mixer.type();
    if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
  }
  return Join(types, ", ");
}

/// @throws Error(kUsage) where the arm has a run of the same seeds.
void AddUnit(Arm& arm, ArmUnit unit) {
  const auto place = [](const ArmUnit& each) { return std::tie(each.data, each.init); };
  for (const ArmUnit& other : arm.units) {
    if (place(other) != place(unit)) continue;
    throw Error(ExitCode::kUsage,
                fmt::format("{} and {} are one experiment under the same seeds (init {}, data {}), "
                            "which is one unit, not two; leave one of them out",
                            other.run, unit.run, unit.init, unit.data));
  }
  const auto after = std::find_if(arm.units.begin(), arm.units.end(),
                                  [&](const ArmUnit& other) { return place(unit) < place(other); });
  arm.units.insert(after, std::move(unit));
}

/// Files that are gone, or memory that is short, leave FLOPs unknown; the rest is compared.
void CountFlops(Arm& arm, const std::string& run, const MixerRegistry& mixers,
                const TaskRegistry& tasks) {
  double steps = 0;
  for (const ArmUnit& unit : arm.units) steps += static_cast<double>(unit.steps);
  try {
    const Experiment loaded = ReadRunExperiment(RunDirectory::Open(run), {}, mixers, tasks);
    arm.flops = CountTraining(*loaded.config).flops_per_step * steps /
                static_cast<double>(arm.units.size());
  } catch (const Error& error) {
    arm.flops = std::numeric_limits<double>::quiet_NaN();
    arm.no_flops = error.what();
  }
}

void NameApart(std::vector<Arm>& arms) {
  std::vector<std::string> names;
  for (const Arm& arm : arms) names.push_back(arm.name);
  for (Arm& arm : arms) {
    if (arm.name.empty() || std::count(names.begin(), names.end(), arm.name) > 1) {
      arm.name += (arm.name.empty() ? "" : "-") + arm.hash.substr(0, 8);
    }
  }
}

/// @throws Error(kUsage) naming the first field of the task that differs.
void RequireSameTask(Arm& first, Arm& second) {
  const std::string one = first.experiment.config->task.type();
  const std::string other = second.experiment.config->task.type();
  std::string difference = one == other ? "" : one + " and " + other;
  if (difference.empty()) {
    for (const ConfigDifference& field :
         CompareConfigs(*first.experiment.config, *second.experiment.config)) {
      if (!field.pointer.starts_with("/task/")) continue;
      difference = fmt::format("{} with {} {} and {}", one, field.pointer.substr(6), field.before,
                               field.after);
      break;
    }
  }
  if (difference.empty()) return;
  throw Error(ExitCode::kUsage,
              fmt::format("{} and {} were trained on different tasks ({}), whose numbers cannot be "
                          "set against each other; compare arms of one task",
                          first.name, second.name, difference));
}

}  // namespace

int64_t Arm::Steps() const {
  for (const ArmUnit& unit : units) {
    if (unit.steps != units[0].steps) return -1;
  }
  return units[0].steps;
}

bool SameCell(const ResultsFile& a, const ResultsFile& b) {
  return a.cell.key == b.cell.key && a.origin.overrides == b.origin.overrides &&
         a.origin.data_sha256 == b.origin.data_sha256;
}

std::string CellText(const ResultsFile& results) {
  const CellKey& key = results.cell.key;
  std::string text = fmt::format("{}, {}, T {}, n {}", SplitName(key.split), EvalModeName(key.mode),
                                 key.length, key.examples);
  if (key.dt_scale != 1) text += ", dt x" + FormatNumber(key.dt_scale);
  for (const std::string& override : results.origin.overrides) text += ", " + override;
  return text;
}

std::vector<Arm> ReadArms(const std::vector<std::string>& groups, const MixerRegistry& mixers,
                          const TaskRegistry& tasks) {
  const std::vector<FoundRun> runs = FindRuns(groups);
  RequireFinished(runs);
  std::vector<Arm> arms;
  for (const FoundRun& run : runs) {
    Experiment experiment = ReadRunConfig(RunDirectory::Open(run.path), {}, mixers, tasks);
    ExperimentConfig& config = *experiment.config;
    ArmUnit unit = ReadUnit(run.path, config);
    const std::string name = WithoutSeed(config.name);
    const std::string hash = HashWithoutSeeds(config);
    auto arm = std::find_if(arms.begin(), arms.end(),
                            [&](const Arm& other) { return other.hash == hash; });
    if (arm == arms.end()) {
      Arm fresh;
      fresh.name = name;
      fresh.group = run.group;
      fresh.hash = hash;
      fresh.model = ModelName(config.model);
      fresh.mixers = MixersOf(config.model);
      fresh.params = unit.results[0].params;
      fresh.step_sequences = config.train.batch * config.train.accumulate;
      fresh.experiment = std::move(experiment);
      arm = arms.insert(arms.end(), std::move(fresh));
    }
    arm->name = CommonStart(arm->name, name);
    AddUnit(*arm, std::move(unit));
  }
  NameApart(arms);
  if (arms.size() < 2) {
    throw Error(ExitCode::kUsage,
                fmt::format("there is one arm, {} ({}): runs that differ only in their seeds are "
                            "units of it; name the runs of another arm beside it",
                            arms[0].name, FormatCount(std::ssize(arms[0].units), "run")));
  }
  for (Arm& arm : arms) RequireSameTask(arms[0], arm);
  for (Arm& arm : arms) CountFlops(arm, arm.units[0].run, mixers, tasks);
  return arms;
}

}  // namespace ssm
