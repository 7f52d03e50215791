#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/base/workers.h"
#include "ssm/cli/cell_text.h"
#include "ssm/cli/commands.h"
#include "ssm/cli/help.h"
#include "ssm/cli/task_export.h"
#include "ssm/cli/task_file.h"
#include "ssm/evaluation/cell_result.h"
#include "ssm/experiment/eval_progress.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMeasuredTokens = int64_t{1} << 21;

Split SplitFromName(const std::string& name) {
  std::vector<std::string> names;
  for (const Split split : {Split::kTrain, Split::kValidation, Split::kTest, Split::kProbe}) {
    if (SplitName(split) == name) return split;
    names.emplace_back(SplitName(split));
  }
  throw Error(ExitCode::kUsage, fmt::format("--split takes {}, not {}{}", Join(names, ", "),
                                            Quote(name), DidYouMean(name, names)));
}

CellKey AskedCell(const TaskCommand& command, const Task& task) {
  CellKey key{.length = command.length, .split = SplitFromName(command.split)};
  key.examples = 1;
  key = ResolveCell(key, task);
  key.examples = command.examples;
  if (command.examples == 0 && !command.out.empty()) key.examples = 256;
  if (command.examples == 0 && command.out.empty()) {
    key.examples = std::clamp<int64_t>(kMeasuredTokens / key.length, 1, 4096);
  }
  return ResolveCell(key, task);
}

const char* RoleName(Role role) {
  switch (role) {
    case Role::kCeiling:
      return "ceiling";
    case Role::kHeuristic:
      return "heuristic";
    case Role::kChance:
      return "chance";
  }
  return "";
}

/// Closed forms of every metric, then what ran on the drawn sequences.
struct Fact {
  Role role;
  std::string name, metric;
  Interval value;
  std::string basis;
};

std::vector<Fact> FactsOf(const std::vector<KnownValue>& known, const CellResult& measured) {
  std::vector<Fact> facts;
  const double none = std::nan("");
  for (const KnownValue& value : known) {
    facts.push_back({value.role, value.name, value.metric, {value.value, none, none}, value.basis});
  }
  for (const ReferenceResult& reference : measured.references) {
    if (!reference.measured()) continue;
    facts.push_back({reference.role, reference.name, measured.metric, reference.estimate,
                     "measured on " + FormatCount(measured.sequences, "sequence")});
  }
  return facts;
}

/// {metric: value} of a role that has one value; the first fact, a closed form if any, stands.
Json ByMetric(const std::vector<Fact>& facts, Role role) {
  Json json = Json::object();
  for (const Fact& fact : facts) {
    if (fact.role != role || !std::isfinite(fact.value.value)) continue;
    if (!json.contains(fact.metric)) json[fact.metric] = fact.value.value;
  }
  return json;
}

/// {metric: {name: value}}.
Json ByMetricAndName(const std::vector<Fact>& facts, Role role) {
  Json json = Json::object();
  for (const Fact& fact : facts) {
    if (fact.role != role || !std::isfinite(fact.value.value)) continue;
    Json& names = json[fact.metric];
    if (!names.contains(fact.name)) names[fact.name] = fact.value.value;
  }
  return json;
}

Json Finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string ToJson(const TaskFile& file, const CellResult& cell, const std::vector<Fact>& facts) {
  Json json = {{"schema", "ssmctl.task/1"},
               {"type", file.type()},
               {"description", file.task().Describe()},
               {"metric", cell.metric},
               {"higher_is_better", cell.higher_is_better},
               {"length", cell.key.length},
               {"split", SplitName(cell.key.split)},
               {"examples", cell.key.examples},
               {"seed", file.seed},
               {"ceiling", ByMetric(facts, Role::kCeiling)},
               {"heuristics", ByMetricAndName(facts, Role::kHeuristic)},
               {"chance", ByMetric(facts, Role::kChance)}};
  json["references"] = Json::array();
  for (const Fact& fact : facts) {
    json["references"].push_back({{"name", fact.name},
                                  {"role", RoleName(fact.role)},
                                  {"metric", fact.metric},
                                  {"value", Finite(fact.value.value)},
                                  {"low", Finite(fact.value.low)},
                                  {"high", Finite(fact.value.high)},
                                  {"basis", fact.basis}});
  }
  json["statistics"] = Json::object();
  for (const auto& [name, value] : cell.statistics) json["statistics"][name] = Finite(value);
  json["lags"] = Json::object();
  json["strata"] = Json::object();
  for (const AxisResult& axis : cell.axes) {
    Json& shares = axis.axis == "lag" ? json["lags"] : json["strata"][axis.axis];
    for (const GroupResult& group : axis.groups) shares[group.label] = Finite(group.share);
  }
  return json.dump(2) + "\n";
}

std::string ToText(const TaskFile& file, const CellResult& cell, const std::vector<Fact>& facts,
                   bool color) {
  std::string text =
      fmt::format("{}\n{}\n\nlength {}, split {}, {}, seed {}\n\n", file.type(),
                  WrapText(DescribeFor(file.task(), std::span(&cell, 1)), 80, 0), cell.key.length,
                  SplitName(cell.key.split), FormatCount(cell.key.examples, "sequence"), file.seed);
  const TableStyle style{.bold_header = color, .indent = ""};
  const std::vector<TableColumn> columns = {{"role", Align::kLeft},
                                            {"name", Align::kLeft},
                                            {"metric", Align::kLeft},
                                            {"value", Align::kLeft},
                                            {"basis", Align::kLeft}};
  std::vector<std::vector<std::string>> rows;
  for (const Role role : {Role::kCeiling, Role::kHeuristic, Role::kChance}) {
    for (const Fact& fact : facts) {
      if (fact.role != role) continue;
      rows.push_back(
          {RoleName(role), fact.name, fact.metric, IntervalText(fact.value), fact.basis});
    }
  }
  text += FormatTable(columns, rows, style);
  text += UndefinedNote(cell);
  rows.clear();
  for (const auto& [name, value] : cell.statistics) rows.push_back({name, StatisticText(value)});
  for (const AxisResult& axis : cell.axes) {
    for (const GroupResult& group : axis.groups) {
      rows.push_back(
          {fmt::format("share of {} {}", axis.axis, group.label), ShareText(group.share)});
    }
  }
  const std::vector<TableColumn> measured = {{"measured", Align::kLeft}, {"", Align::kRight}};
  return text + "\n" + FormatTable(measured, rows, style);
}

}  // namespace

ExitCode RunTask(const TaskCommand& command, const CommandContext& context) {
  if (!command.out.empty()) RequireFreshFolder(command.out);
  const Catalogue& catalogue = *context.catalogue;
  TaskFile file({command.file, command.overrides}, catalogue.mixers, catalogue.tasks);
  if (command.seed >= 0) file.seed = command.seed;
  const CellKey key = AskedCell(command, file.task());
  Workers workers(context.threads > 0 ? context.threads : DefaultThreads());
  const EvalSubject<double> nobody{.model = nullptr,
                                   .params = {},
                                   .task = &file.task(),
                                   .seed = static_cast<uint64_t>(file.seed),
                                   .workers = &workers};
  const std::vector<KnownValue> known =
      file.task().Known(key.split, {.steps = key.length, .dt_scale = 1});
  const CellResult cell = Summarise(ScoreWatched(nobody, key), file.task().Spec(), known);
  const std::vector<Fact> facts = FactsOf(known, cell);
  if (!command.out.empty()) {
    ExportTask(file.task(), static_cast<uint64_t>(file.seed), key, workers, command.out,
               ToJson(file, cell, facts));
  }
  Output& output = *context.output;
  output.Write(command.json ? ToJson(file, cell, facts)
                            : ToText(file, cell, facts, output.color()));
  return ExitCode::kDone;
}

}  // namespace ssm
