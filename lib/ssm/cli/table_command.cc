#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/cli/cell_text.h"
#include "ssm/cli/commands.h"
#include "ssm/evaluation/cell_json.h"
#include "ssm/evaluation/results_file.h"
#include "ssm/evaluation/verdict.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

/// Every figure of the table comes from these files.
std::vector<ResultsFile> ResultsOf(const std::vector<std::string>& runs) {
  std::vector<ResultsFile> all;
  for (const std::string& run : runs) {
    if (!IsDirectory(run)) {
      throw Error(ExitCode::kMissingInput, fmt::format("{}: there is no such run", run));
    }
    std::vector<ResultsFile> results = ReadResults(JoinPath(run, "results"));
    if (results.empty()) {
      throw Error(ExitCode::kMissingInput,
                  fmt::format("{}: it has no results; run \"ssmctl eval {}\" first", run, run));
    }
    std::move(results.begin(), results.end(), std::back_inserter(all));
  }
  return all;
}

std::string AskedText(const CellKey& key) {
  std::string text(SplitName(key.split));
  if (key.mode == EvalMode::kStep) text += ", step";
  text += fmt::format(", T {}", key.length);
  if (key.dt_scale != 1) text += ", dt x" + FormatNumber(key.dt_scale);
  return text;
}

constexpr const char* kLegend =
    "\nBrackets: 95 % over sequences. Verdict: where the paired interval of model minus best\n"
    "heuristic (else chance) lies. A row is one trained seed: no claim about architectures.\n";

std::string TableText(const std::vector<ResultsFile>& all, bool color) {
  const std::vector<TableColumn> columns = {
      {"experiment", Align::kLeft}, {"task", Align::kLeft},     {"cell", Align::kLeft},
      {"model", Align::kLeft},      {"params", Align::kRight},  {"state", Align::kRight},
      {"metric", Align::kLeft},     {"ceiling", Align::kRight}, {"best heuristic", Align::kLeft},
      {"chance", Align::kRight},    {"verdict", Align::kLeft}};
  std::vector<std::vector<std::string>> rows;
  for (const ResultsFile& results : all) {
    const CellResult& cell = results.cell;
    rows.push_back({results.name, results.task, AskedText(cell.key), results.model,
                    FormatCount(results.params), FormatBytes(cell.state_bytes_live),
                    cell.metric + " " + IntervalText(cell.value), CeilingText(cell),
                    BestHeuristicText(cell), ChanceText(cell), VerdictWord(cell)});
  }
  return FormatTable(columns, rows, {.bold_header = color, .indent = ""}) + kLegend;
}

std::string TableJson(const std::vector<ResultsFile>& all) {
  Json json = {{"schema", "ssmctl.table/1"}, {"rows", Json::array()}};
  for (const ResultsFile& results : all) {
    json["rows"].push_back({{"name", results.name},
                            {"task", results.task},
                            {"model", results.model},
                            {"params", results.params},
                            {"step", results.origin.step},
                            {"cell", Json::parse(CellToJson(results.cell))}});
  }
  return json.dump(2) + "\n";
}

}  // namespace

ExitCode RunTable(const TableCommand& command, const CommandContext& context) {
  const std::vector<ResultsFile> all = ResultsOf(command.runs);
  Output& output = *context.output;
  output.Write(command.json ? TableJson(all) : TableText(all, output.color()));
  return ExitCode::kDone;
}

}  // namespace ssm
