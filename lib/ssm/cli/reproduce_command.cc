#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ssm/analysis/published_result.h"
#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/cli/commands.h"
#include "ssm/cli/interrupt_notice.h"
#include "ssm/config/config_file.h"
#include "ssm/experiment/trained_result.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFolder = "configs/results";
constexpr const char* kRuns = "runs/reproduce";

/// A file as it is named, or the one of that id in configs/results.
std::string FileOf(const std::string& id) {
  if (Exists(id)) return id;
  const std::string file = JoinPath(kFolder, id + ".json");
  if (Exists(file)) return file;
  std::vector<std::string> ids;
  if (IsDirectory(kFolder)) {
    for (const std::string& name : ListDirectory(kFolder)) {
      if (name.ends_with(".json")) ids.push_back(name.substr(0, name.size() - 5));
    }
  }
  throw Error(ExitCode::kMissingInput,
              fmt::format("{}: it is neither a file nor an id in {}{}", QuotePath(id), kFolder,
                          ids.empty() ? " (run this where that folder is)"
                                      : ", which has " + Join(ids, ", ")));
}

std::string GateText(const GateRow& row) {
  if (!row.gated) return "-";
  return (row.upper ? "<= " : ">= ") + FormatNumber(row.bound);
}

/// A part of the table; left out where no row has it.
struct Part {
  TableColumn column;
  std::string (*text)(const GateRow& row);
};

std::string EachText(const GateRow& row) {
  std::vector<std::string> values;
  for (const double value : row.each)
    values.push_back(fmt::format("{:>7}", FormatDigits(value, 4)));
  return row.each.size() < 2 ? "" : Join(values, " ");
}

const Part kParts[] = {
    {{"", Align::kLeft}, [](const GateRow& row) { return row.what; }},
    {{"measured", Align::kRight}, [](const GateRow& row) { return FormatDigits(row.measured, 4); }},
    {{"by seed", Align::kLeft}, EachText},
    {{"published", Align::kLeft}, [](const GateRow& row) { return row.published; }},
    {{"gate", Align::kLeft}, GateText},
    {{"verdict", Align::kLeft},
     [](const GateRow& row) {
       return std::string(!row.gated ? "-" : row.holds() ? "holds" : "FAILS");
     }},
};

std::string Table(const std::vector<GateRow>& rows, bool color) {
  std::vector<TableColumn> columns;
  std::vector<std::vector<std::string>> cells(rows.size());
  for (const Part& part : kParts) {
    const bool told = std::any_of(rows.begin(), rows.end(),
                                  [&](const GateRow& row) { return !part.text(row).empty(); });
    if (!told) continue;
    columns.push_back(part.column);
    for (size_t i = 0; i < rows.size(); ++i) cells[i].push_back(part.text(rows[i]));
  }
  return FormatTable(columns, cells, {.bold_header = color, .indent = ""});
}

/// What is known of the rows that fail.
std::string Diagnoses(const std::vector<GateRow>& rows) {
  std::string text;
  for (const GateRow& row : rows) {
    if (row.holds() || row.diagnosis.empty()) continue;
    text += fmt::format("\n{} misses {}\n", row.what, GateText(row));
    for (const std::string& line : SplitText(row.diagnosis, '\n')) text += "  " + line + "\n";
  }
  return text;
}

std::string ToText(const PublishedResult& result, const std::vector<GateRow>& rows, double seconds,
                   bool color) {
  int64_t held = 0;
  int64_t gates = 0;
  for (const GateRow& row : rows) {
    gates += row.gated ? 1 : 0;
    held += row.gated && row.holds() ? 1 : 0;
  }
  return fmt::format("{}  {}\npublished  {}\n\n{}{}\n{} of {} gates hold, {} s\n", result.id,
                     result.title, result.published, Table(rows, color), Diagnoses(rows), held,
                     gates, FormatDigits(seconds, 2));
}

Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string ToJson(const PublishedResult& result, const std::vector<GateRow>& rows, bool holds,
                   double seconds) {
  Json json = {{"schema", "ssmctl.reproduce/1"}, {"id", result.id}, {"title", result.title},
               {"published", result.published},  {"holds", holds},  {"seconds", seconds},
               {"rows", Json::array()}};
  for (const GateRow& row : rows) {
    Json entry = {{"what", row.what},
                  {"measured", Number(row.measured)},
                  {"by_seed", Json::array()},
                  {"published", row.published.empty() ? Json(nullptr) : Json(row.published)},
                  {"gate", row.gated ? Json(GateText(row)) : Json(nullptr)},
                  {"holds", row.gated ? Json(row.holds()) : Json(nullptr)},
                  {"diagnosis", row.diagnosis.empty() ? Json(nullptr) : Json(row.diagnosis)}};
    for (const double value : row.each) entry["by_seed"].push_back(Number(value));
    json["rows"].push_back(std::move(entry));
  }
  // A path need not be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

ExitCode RunReproduce(const ReproduceCommand& command, const CommandContext& context) {
  ResultRegistry registry;
  RegisterResults(registry);
  RegisterTrainedResults(registry, context.catalogue->mixers, context.catalogue->tasks);
  PublishedResult result(registry);
  const std::string file = FileOf(command.id);
  ReadConfig({file, command.overrides}, result);
  const ResultSetting setting{.directory = ParentPath(file),
                              .out = command.out.empty() ? JoinPath(kRuns, result.id) : command.out,
                              .quick = command.quick,
                              .threads = context.threads,
                              .progress = !context.quiet,
                              .arguments = context.arguments};
  const InterruptNotice notice;
  const auto start = std::chrono::steady_clock::now();
  const std::vector<GateRow> rows = result.result->Run(setting);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  bool holds = true;
  for (const GateRow& row : rows) holds = holds && row.holds();
  Output& output = *context.output;
  output.Write(command.json ? ToJson(result, rows, holds, seconds)
                            : ToText(result, rows, seconds, output.color()));
  return holds ? ExitCode::kDone : ExitCode::kCheckFailed;
}

}  // namespace ssm
