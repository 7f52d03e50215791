#include <fmt/format.h>
#include <unistd.h>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/cli/cache_report.h"
#include "ssm/cli/commands.h"
#include "ssm/cli/cost_report.h"
#include "ssm/cli/inspect_layers.h"
#include "ssm/cli/inspect_system.h"
#include "ssm/cli/layer_figures.h"
#include "ssm/cli/task_inspection.h"
#include "ssm/experiment/checkpoint_choice.h"
#include "ssm/experiment/run_directory.h"

namespace ssm {
namespace {

/// None where the flag was not given; what it holds was checked with it.
std::optional<SweepRange> SweepOf(const InspectCommand& command) {
  return command.sweep.empty() ? std::nullopt : ParseSweep(command.sweep);
}

/// A second run or config where one is inspected.
void RefuseMoreSubjects(const InspectCommand& command) {
  for (const std::string& word : command.overrides) {
    if (word.find('=') != std::string::npos || !Exists(word)) continue;
    throw Error(ExitCode::kUsage,
                fmt::format("{}: one run, config or system is inspected; --cost compares several",
                            PathArgument(word)));
  }
}

/// The file is known to be a system.
std::string RunSystem(const InspectCommand& command, bool color) {
  const auto refuse = [&command](const std::string& what, const char* why) {
    throw Error(ExitCode::kUsage, fmt::format("{}: {} is a system, {}; leave it out", what,
                                              PathArgument(command.subject), why));
  };
  if (!command.overrides.empty()) {
    refuse(Quote(command.overrides.front()), "whose values stand in its file");
  }
  if (!command.checkpoint.empty()) refuse("--checkpoint", "which has none");
  if (command.dt_scale) refuse("--dt-scale", "whose step is --dt");
  if (command.on_task) refuse("--on-task", "which has no task");
  return InspectSystem({.path = command.subject,
                        .dt = command.dt,
                        .sweep = SweepOf(command),
                        .plot = command.plot,
                        .json = command.json,
                        .color = color});
}

/// A run's or a config's experiment, and what of it is asked.
struct Subject {
  Experiment experiment;
  LayersAsked asked;
};

Subject SubjectOf(const InspectCommand& command, const Catalogue& catalogue) {
  if (command.dt) {
    throw Error(ExitCode::kUsage,
                fmt::format("--dt: {} is no system; its layers have steps of their own, which "
                            "--dt-scale scales",
                            PathArgument(command.subject)));
  }
  LayersAsked asked{"", "", command.dt_scale.value_or(1), SweepOf(command)};
  if (!IsDirectory(command.subject)) {
    if (!command.checkpoint.empty()) {
      throw Error(ExitCode::kUsage,
                  fmt::format("--checkpoint {}: {} is a config, which has none; name a run",
                              Quote(command.checkpoint), PathArgument(command.subject)));
    }
    return {ReadExperiment({command.subject, command.overrides}, catalogue.mixers, catalogue.tasks),
            asked};
  }
  const RunDirectory run = RunDirectory::Open(command.subject);
  if (!command.overrides.empty()) {
    throw Error(ExitCode::kUsage, fmt::format("{} cannot change a finished run; leave it out",
                                              Quote(command.overrides.front())));
  }
  asked.run = run.path();
  asked.checkpoint =
      ChosenCheckpoint(run, command.checkpoint.empty() ? "best" : command.checkpoint);
  return {ReadRunExperiment(run, {}, catalogue.mixers, catalogue.tasks), asked};
}

std::string RunOnTask(const InspectCommand& command, const Subject& subject, bool color) {
  const auto refuse = [](const char* flag, const char* what) {
    throw Error(ExitCode::kUsage,
                fmt::format("{} {}; leave it to an inspection without --on-task", flag, what));
  };
  if (!command.sweep.empty()) refuse("--sweep", "is of layers alone");
  if (command.caches) {
    const CacheReport report =
        CompareCachesOf(*subject.experiment.config, {.run = subject.asked.run,
                                                     .checkpoint = subject.asked.checkpoint,
                                                     .dt_scale = subject.asked.dt_scale,
                                                     .policies = command.policies});
    if (!command.plot.empty()) WriteFigures(command.plot, CacheFigures(report));
    return command.json ? CacheJson(report) : CacheText(report, color);
  }
  if (!command.plot.empty()) refuse("--plot", "draws layers alone");
  const TaskInspection inspection =
      InspectOnTask(*subject.experiment.config, {.run = subject.asked.run,
                                                 .checkpoint = subject.asked.checkpoint,
                                                 .dt_scale = subject.asked.dt_scale,
                                                 .idle_steps = command.idle_steps});
  return command.json ? TaskInspectionJson(inspection) : TaskInspectionText(inspection, color);
}

/// Those of a run have its scores by lag too.
NamedFigures Figures(const std::string& subject, const Inspection& inspection) {
  NamedFigures figures = FiguresOf(inspection);
  if (!IsDirectory(subject)) return figures;
  for (auto& figure : RetentionFigures(RunDirectory::Open(subject).results())) {
    figures.push_back(std::move(figure));
  }
  return figures;
}

/// A run's as it was, or a config with values replaced.
Experiment ExperimentOf(const std::string& subject, const std::vector<std::string>& overrides,
                        const Catalogue& catalogue) {
  if (!IsDirectory(subject)) {
    return ReadExperiment({subject, overrides}, catalogue.mixers, catalogue.tasks);
  }
  return ReadRunExperiment(RunDirectory::Open(subject), {}, catalogue.mixers, catalogue.tasks);
}

void RunCost(const InspectCommand& command, const CommandContext& context) {
  if (!command.checkpoint.empty() || command.dt || command.dt_scale || !command.sweep.empty() ||
      command.on_task) {
    throw Error(ExitCode::kUsage,
                "--cost: what a state costs follows from the config alone; leave --checkpoint, "
                "--dt, --dt-scale, --sweep and --on-task out");
  }
  std::vector<std::string> subjects = {command.subject}, overrides;
  for (const std::string& word : command.overrides) {
    (word.find('=') == std::string::npos ? subjects : overrides).push_back(word);
  }
  std::vector<Experiment> experiments;
  std::vector<CostSubject> asked;
  for (const std::string& subject : subjects) {
    experiments.push_back(ExperimentOf(subject, overrides, *context.catalogue));
    asked.push_back({subject, experiments.back().config.get()});
  }
  const std::vector<CostColumn> columns = CostOf(asked, command.tokens);
  if (!command.plot.empty()) WriteFigures(command.plot, CostFigures(columns));
  Output& output = *context.output;
  output.Write(command.json ? CostJson(columns) : CostText(columns, output.color()));
}

}  // namespace

ExitCode RunInspect(const InspectCommand& command, const CommandContext& context) {
  Output& output = *context.output;
  if (command.cost) {
    RunCost(command, context);
    return ExitCode::kDone;
  }
  RefuseMoreSubjects(command);
  if (IsSystemFile(command.subject)) {
    output.Write(RunSystem(command, output.color()));
    return ExitCode::kDone;
  }
  const Subject subject = SubjectOf(command, *context.catalogue);
  if (command.on_task) {
    output.Write(RunOnTask(command, subject, output.color()));
    return ExitCode::kDone;
  }
  const Inspection inspection = InspectLayers(*subject.experiment.config, subject.asked);
  if (!command.plot.empty()) WriteFigures(command.plot, Figures(command.subject, inspection));
  output.Write(command.json
                   ? InspectionJson(inspection)
                   : InspectionText(inspection, TerminalStyleFor(STDOUT_FILENO), output.color()));
  return ExitCode::kDone;
}

}  // namespace ssm
