#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

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

struct Row {
  std::string run;
  ResultsFile results;
};

/// By task, experiment, model and length, then whatever else tells cells apart, so that seeds stand
/// together; runs keep their order.
bool ComesBefore(const Row& a, const Row& b) {
  const auto place = [](const Row& row) {
    const ResultsFile& r = row.results;
    const CellKey& key = r.cell.key;
    return std::tie(r.task, r.name, r.model, key.length, key.split, key.mode, key.dt_scale,
                    r.origin.overrides, r.origin.seed, r.origin.step, key.examples);
  };
  return place(a) < place(b);
}

/// Every figure of the table comes from these files. A run named twice counts once; files that are
/// no results are left out, with a fault each.
std::vector<Row> RowsOf(const std::vector<std::string>& runs, std::vector<std::string>& faults) {
  std::vector<Row> rows;
  std::set<std::filesystem::path> read;
  for (const std::string& run : runs) {
    if (!IsDirectory(run)) {
      throw Error(ExitCode::kMissingInput, fmt::format("{}: there is no such run", run));
    }
    std::error_code error;
    if (!read.insert(std::filesystem::weakly_canonical(run, error)).second) continue;
    const size_t faults_before = faults.size();
    std::vector<ResultsFile> results = ReadGoodResults(JoinPath(run, "results"), faults);
    if (results.empty() && faults.size() == faults_before) {
      throw Error(ExitCode::kMissingInput,
                  fmt::format("{}: it has no results; run \"ssmctl eval {}\" first", run,
                              PathArgument(run)));
    }
    for (ResultsFile& result : results) rows.push_back({run, std::move(result)});
  }
  std::stable_sort(rows.begin(), rows.end(), ComesBefore);
  return rows;
}

/// Whether the name of an experiment does not tell which run a row is of.
bool NamesRepeat(const std::vector<Row>& rows) {
  std::map<std::string, std::string> run_of;
  return std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
    return run_of.emplace(row.results.name, row.run).first->second != row.run;
  });
}

bool AnyOverrides(const std::vector<Row>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const Row& row) { return !row.results.origin.overrides.empty(); });
}

std::string AskedText(const CellKey& key) {
  std::string text(SplitName(key.split));
  if (key.mode == EvalMode::kStep) text += ", step";
  text += fmt::format(", T {}", key.length);
  if (key.dt_scale != 1) text += ", dt x" + FormatNumber(key.dt_scale);
  return text;
}

constexpr const char* kLegend =
    "\nBrackets: 95 % over the n sequences. Verdict: better or worse than the best heuristic\n"
    "(else chance) where the whole interval of the difference says so, paired by sequence.\n"
    "A row is one trained seed at one step: no claim about architectures.\n";

/// Columns that would say nothing are left out: "run", "overrides".
std::string TableText(const std::vector<Row>& all, bool color) {
  std::vector<TableColumn> columns = {
      {"experiment", Align::kLeft}, {"task", Align::kLeft},           {"cell", Align::kLeft},
      {"n", Align::kRight},         {"model", Align::kLeft},          {"step", Align::kRight},
      {"params", Align::kRight},    {"state", Align::kRight},         {"metric", Align::kLeft},
      {"ceiling", Align::kRight},   {"best heuristic", Align::kLeft}, {"chance", Align::kRight},
      {"verdict", Align::kLeft}};
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
                    FormatBytes(cell.state_bytes_live),
                    cell.metric + " " + IntervalText(cell.value), CeilingText(cell),
                    BestHeuristicText(cell), ChanceText(cell), VerdictText(cell)});
    if (runs) rows.back().push_back(run);
    if (overrides) rows.back().push_back(Join(results.origin.overrides, " "));
  }
  return FormatTable(columns, rows, {.bold_header = color, .indent = ""}) + kLegend +
         CellNotes(cells);
}

std::string TableJson(const std::vector<Row>& all) {
  Json json = {{"schema", "ssmctl.table/1"}, {"rows", Json::array()}};
  for (const auto& [run, results] : all) {
    json["rows"].push_back({{"run", run},
                            {"name", results.name},
                            {"task", results.task},
                            {"model", results.model},
                            {"params", results.params},
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
  std::vector<std::string> faults;
  const std::vector<Row> all = RowsOf(command.runs, faults);
  Output& output = *context.output;
  if (!all.empty()) output.Write(command.json ? TableJson(all) : TableText(all, output.color()));
  if (!faults.empty()) throw Error(ExitCode::kBadData, Join(faults, "\n"));
  return ExitCode::kDone;
}

}  // namespace ssm
