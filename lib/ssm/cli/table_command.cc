#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ssm/base/text.h"
#include "ssm/cli/axis_comparison.h"
#include "ssm/cli/cell_text.h"
#include "ssm/cli/commands.h"
#include "ssm/cli/table_rows.h"
#include "ssm/evaluation/cell_json.h"
#include "ssm/evaluation/verdict.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

bool AnyOverrides(const std::vector<TableRow>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const TableRow& row) { return !row.results.origin.overrides.empty(); });
}

constexpr const char* kLegend =
    "\nBrackets: 95 % over the n sequences. Verdict: better or worse than the best heuristic\n"
    "(or chance, where that is better) where the whole interval of the difference says so, paired\n"
    "by sequence. FLOPs: of training up to that step. A row is one trained seed at one step: no\n"
    "claim about architectures.\n";

/// Columns that would say nothing are left out: "run", "overrides".
std::string TableText(const std::vector<TableRow>& all, bool color) {
  std::vector<TableColumn> columns = {
      {"experiment", Align::kLeft}, {"task", Align::kLeft},     {"cell", Align::kLeft},
      {"n", Align::kRight},         {"model", Align::kLeft},    {"step", Align::kRight},
      {"params", Align::kRight},    {"state", Align::kRight},   {"FLOPs", Align::kRight},
      {"metric", Align::kLeft},     {"ceiling", Align::kRight}, {"best heuristic", Align::kLeft},
      {"chance", Align::kRight},    {"verdict", Align::kLeft}};
  const bool runs = NamesRepeat(all);
  const bool overrides = AnyOverrides(all);
  if (runs) columns.push_back({"run", Align::kLeft});
  if (overrides) columns.push_back({"overrides", Align::kLeft});
  std::vector<std::vector<std::string>> rows;
  std::vector<const CellResult*> cells;
  for (const auto& [run, results] : all) {
    const CellResult& cell = results.cell;
    cells.push_back(&cell);
    rows.push_back({results.name, results.task, AskedText(cell.key), FormatCount(cell.sequences),
                    results.model, FormatCount(results.origin.step), FormatCount(results.params),
                    FormatBytes(cell.state_bytes_live), FlopsText(results.flops),
                    cell.metric + " " + IntervalText(cell.value), CeilingText(cell),
                    BestHeuristicText(cell), ChanceText(cell), VerdictText(cell)});
    if (runs) rows.back().push_back(run);
    if (overrides) rows.back().push_back(Join(results.origin.overrides, " "));
  }
  return FormatTable(columns, rows, {.bold_header = color, .indent = ""}) + kLegend +
         CellNotes(cells);
}

std::string TableJson(const std::vector<TableRow>& all) {
  Json json = {{"schema", "ssmctl.table/1"}, {"rows", Json::array()}};
  for (const auto& [run, results] : all) {
    json["rows"].push_back({{"run", run},
                            {"name", results.name},
                            {"task", results.task},
                            {"model", results.model},
                            {"params", results.params},
                            {"flops", results.flops},
                            {"step", results.origin.step},
                            {"seed", results.origin.seed},
                            {"overrides", results.origin.overrides},
                            {"cell", Json::parse(CellToJson(results.cell))}});
  }
  // A path need not be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

ExitCode RunTable(const TableCommand& command, const CommandContext& context) {
  if (command.json && !command.by.empty()) {
    throw Error(ExitCode::kUsage,
                "--by: it shapes the table for people, and --json holds every stratum already; "
                "leave one of them out");
  }
  std::vector<std::string> faults;
  const std::vector<TableRow> all = ReadTableRows(command.runs, faults);
  Output& output = *context.output;
  if (!command.by.empty()) {
    output.Write(CompareByAxis(all, command.by, output.color()));
  } else if (!all.empty()) {
    output.Write(command.json ? TableJson(all) : TableText(all, output.color()));
  }
  if (!faults.empty()) throw Error(ExitCode::kBadData, Join(faults, "\n"));
  return ExitCode::kDone;
}

}  // namespace ssm
