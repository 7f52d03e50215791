#include "ssm/experiment/trained_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/log.h"
#include "ssm/base/text.h"
#include "ssm/experiment/plain_name.h"
#include "ssm/experiment/result_verdict.h"
#include "ssm/experiment/run_evaluation.h"

namespace ssm {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> Joined(std::vector<std::string> first,
                                const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// "allowed: a, b".
std::string Allowed(const std::vector<std::string>& names) {
  return names.empty() ? "there is none" : "allowed: " + Join(names, ", ");
}

/// Checks a reading against the experiment it is taken of. @throws Error(kBadConfig).
void RequireReadable(const std::string& name, const ResultReading& reading,
                     const ExperimentConfig& config) {
  const size_t cells = CellsOf(config.eval).size();
  if (cells != 1) {
    Fail(ExitCode::kBadConfig,
         fmt::format("/result/readings/{}: it asks for {} cells, but a reading is a number of one; "
                     "name one length (eval.lengths=[256])",
                     name, cells));
  }
  ResolveCell(CellsOf(config.eval)[0], *config.task);
  if (reading.axis.empty()) return;
  const TaskSpec spec = config.task->Spec();
  std::vector<std::string> axes = {"step"};
  if (spec.has_lags) axes.push_back("lag");
  for (const StratumAxis& axis : spec.strata) axes.push_back(axis.name);
  if (std::find(axes.begin(), axes.end(), reading.axis) != axes.end()) return;
  Fail(ExitCode::kBadConfig,
       fmt::format("/result/readings/{}/axis: is {}, but {} has no such; {}", name,
                   Quote(reading.axis), config.task.type(), Allowed(axes)));
}

/// The number a reading stands for; NaN where no scored step falls under its label.
Interval NumberOf(const std::string& name, const ResultReading& reading, const CellResult& cell) {
  if (!reading.axis.empty()) {
    for (const AxisResult& axis : cell.axes) {
      for (const GroupResult& group : axis.groups) {
        if (axis.axis == reading.axis && group.label == reading.label) return group.model;
      }
    }
    return {kNan, kNan, kNan};
  }
  if (reading.metric.empty() || reading.metric == cell.metric) return cell.value;
  std::vector<std::string> names = {cell.metric};
  for (const auto& [metric, value] : cell.other_metrics) {
    if (metric == reading.metric) return value;
    names.push_back(metric);
  }
  Fail(ExitCode::kBadConfig,
       fmt::format("/result/readings/{}/metric: is {}, which is not measured; {}", name,
                   Quote(reading.metric), Allowed(names)));
}

/// What a number is to be read against: references on the same steps, training, and the run.
std::string ContextOf(const ResultReading& reading, const CellResult& cell,
                      const TrainOutcome& outcome) {
  std::vector<std::string> parts;
  for (const AxisResult& axis : cell.axes) {
    for (const GroupResult& group : axis.groups) {
      if (axis.axis != reading.axis || group.label != reading.label) continue;
      for (const auto& [name, value] : group.references) {
        parts.push_back(fmt::format("{} {}", name, FormatDigits(value, 4)));
      }
    }
  }
  if (reading.axis.empty() && reading.metric.empty()) {
    for (const ReferenceResult& reference : cell.references) {
      if (!reference.measured()) continue;
      parts.push_back(
          fmt::format("{} {}", reference.name, FormatDigits(reference.estimate.value, 4)));
    }
  }
  if (outcome.best_step > 0) {
    parts.push_back(fmt::format("best on validation {} {} at step {} of {}", outcome.metric,
                                FormatDigits(outcome.best_value, 4), outcome.best_step,
                                outcome.step));
  }
  parts.push_back(outcome.run);
  return Join(parts, ", ");
}

}  // namespace

void ResultArm::VisitFields(FieldVisitor& visitor) {
  visitor.Text("config", config, "the experiment, sought beside the result's own file");
  visitor.TextList("overrides", overrides, "what this arm changes of it");
}

void ResultReading::VisitFields(FieldVisitor& visitor) {
  visitor.TextList("overrides", overrides,
                   "how the run is evaluated: eval.*, task.* and seed.eval; one cell");
  visitor.Text("metric", metric, "which number of the cell; empty: the task's own metric");
  visitor.Text("axis", axis, "part of the scored steps: a stratum, lag or step; empty: all");
  visitor.Text("label", label, "which part of that axis");
}

void TrainedResult::VisitFields(FieldVisitor& visitor) {
  visitor.Map("arms", arms, "what is trained, by name");
  visitor.Map("readings", readings, "what is read of every run that a row names, by name");
  visitor.TextList("rows", rows,
                   "\"ARM READING >= BOUND published WHAT\"; the last two parts may be missing");
  visitor.IntList("seeds", seeds, {.min = 0}, "seeds of initial values and training data");
  visitor.Choice("judge", judge, {{"every", SeedRule::kEvery}, {"best", SeedRule::kBest}},
                 "whether every seed has to meet a bound, or the best one those from below");
  visitor.TextList("overrides", overrides, "what every arm changes of its experiment");
}

void TrainedResult::Check(Faults& faults) const {
  if (rows.empty()) faults.Add("rows", "is empty: name at least one number to measure");
  if (seeds.empty()) faults.Add("seeds", "is empty: name at least one");
  for (const std::string& name : arms.names()) {
    if (IsPlainName(name)) continue;
    faults.Add("arms", fmt::format("has the arm {}, but arms name folders: allowed are letters, "
                                   "digits, '.', '_' and '-', not beginning with '.' or '-'",
                                   Quote(name)));
  }
  for (const std::string& text : rows) {
    try {
      const ResultRow row = ParseResultRow(text);
      if (arms.Find(row.arm) == nullptr) {
        faults.Add("rows", fmt::format("has the row {}, but no arm {}; {}", Quote(text),
                                       Quote(row.arm), Allowed(arms.names())));
      } else if (readings.Find(row.reading) == nullptr) {
        faults.Add("rows", fmt::format("has the row {}, but no reading {}; {}", Quote(text),
                                       Quote(row.reading), Allowed(readings.names())));
      }
    } catch (const Error& error) {
      faults.Add("rows", error.what());
    }
  }
}

std::vector<ResultRun> TrainedResult::Plan(const ResultSetting& setting) const {
  std::vector<ResultRow> asked;
  for (const std::string& text : rows) asked.push_back(ParseResultRow(text));
  std::vector<ResultRun> runs;
  const size_t count = setting.quick ? 1 : seeds.size();
  for (size_t i = 0; i < count; ++i) {
    for (const std::string& name : arms.names()) {
      const ResultArm& arm = *arms.Find(name);
      ResultRun run{name, seeds[i], {JoinPath(setting.directory, arm.config), arm.overrides}, {}};
      run.source.overrides = Joined(run.source.overrides, overrides);
      run.source.overrides.push_back(fmt::format("seed.init={}", seeds[i]));
      run.source.overrides.push_back(fmt::format("seed.data={}", seeds[i]));
      const Experiment experiment = ReadExperiment(run.source, *mixers_, *tasks_);
      run.folder = JoinPath(setting.out, fmt::format("{}-seed{}-{}", name, seeds[i],
                                                     ConfigHash(*experiment.config).substr(0, 8)));
      for (const ResultRow& row : asked) {
        if (row.arm != name) continue;
        const ResultReading& reading = *readings.Find(row.reading);
        RefuseOtherOverrides(reading.overrides);
        const Experiment evaluated = ReadExperiment(
            {run.source.file, Joined(run.source.overrides, reading.overrides)}, *mixers_, *tasks_);
        RequireReadable(row.reading, reading, *evaluated.config);
      }
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

TrainOutcome TrainedResult::Train(const ResultRun& run, const ResultSetting& setting) const {
  const TrainOutcome outcome = TrainExperiment({.source = run.source,
                                                .out = run.folder,
                                                .resume = true,
                                                .threads = setting.threads,
                                                .progress = setting.progress,
                                                .arguments = setting.arguments},
                                               *mixers_, *tasks_);
  if (outcome.code == ExitCode::kStopped) {
    throw Error(ExitCode::kStopped, fmt::format("{}: training was stopped at step {}, which is "
                                                "saved; the same command goes on from there",
                                                run.folder, outcome.step));
  }
  return outcome;
}

std::vector<GateRow> TrainedResult::Run(const ResultSetting& setting) const {
  const std::vector<ResultRun> runs = Plan(setting);
  std::vector<MeasuredRow> measured;
  for (const std::string& text : rows) measured.push_back({ParseResultRow(text), {}});
  for (size_t i = 0; i < runs.size(); ++i) {
    const ResultRun& run = runs[i];
    LogInfo(fmt::format("run {} of {}: {}, seed {}", i + 1, runs.size(), run.arm, run.seed));
    const TrainOutcome outcome = Train(run, setting);
    for (MeasuredRow& row : measured) {
      if (row.row.arm != run.arm) continue;
      const ResultReading& reading = *readings.Find(row.row.reading);
      // A cell that several readings share is scored once: the others find it finished.
      const RunEvaluation evaluation = EvaluateRun({.run = run.folder,
                                                    .overrides = reading.overrides,
                                                    .checkpoint = "latest",
                                                    .threads = setting.threads,
                                                    .scored = {}},
                                                   *mixers_, *tasks_);
      const CellResult& cell = evaluation.cells.at(0);
      row.numbers.push_back(
          {run.seed, NumberOf(row.row.reading, reading, cell), ContextOf(reading, cell, outcome)});
    }
  }
  return JudgeRows(measured, judge);
}

void RegisterTrainedResults(ResultRegistry& registry, const MixerRegistry& mixers,
                            const TaskRegistry& tasks) {
  registry.Add({"trained", "what arms say after training, under several seeds",
                [&] { return std::make_unique<TrainedResult>(mixers, tasks); }});
}

}  // namespace ssm
