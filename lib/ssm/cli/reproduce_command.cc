#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ssm/analysis/published_result.h"
#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/cli/commands.h"
#include "ssm/config/config_file.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFolder = "configs/results";

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
  return (row.upper ? "<= " : ">= ") + FormatNumber(row.bound);
}

std::string ToText(const PublishedResult& result, const std::vector<GateRow>& rows, double seconds,
                   bool color) {
  const std::vector<TableColumn> columns = {{"", Align::kLeft},
                                            {"measured", Align::kRight},
                                            {"gate", Align::kLeft},
                                            {"verdict", Align::kLeft}};
  std::vector<std::vector<std::string>> cells;
  int64_t held = 0;
  for (const GateRow& row : rows) {
    cells.push_back(
        {row.what, FormatDigits(row.measured, 4), GateText(row), row.holds() ? "holds" : "FAILS"});
    held += row.holds() ? 1 : 0;
  }
  return fmt::format("{}  {}\npublished  {}\n\n{}\n{} of {} gates hold, {} s\n", result.id,
                     result.title, result.published,
                     FormatTable(columns, cells, {.bold_header = color, .indent = ""}), held,
                     rows.size(), FormatDigits(seconds, 2));
}

std::string ToJson(const PublishedResult& result, const std::vector<GateRow>& rows, bool holds,
                   double seconds) {
  Json json = {{"schema", "ssmctl.reproduce/1"}, {"id", result.id}, {"title", result.title},
               {"published", result.published},  {"holds", holds},  {"seconds", seconds},
               {"rows", Json::array()}};
  for (const GateRow& row : rows) {
    json["rows"].push_back(
        {{"what", row.what},
         {"measured", std::isfinite(row.measured) ? Json(row.measured) : Json(nullptr)},
         {"gate", GateText(row)},
         {"holds", row.holds()}});
  }
  return json.dump(2) + "\n";
}

}  // namespace

ExitCode RunReproduce(const ReproduceCommand& command, const CommandContext& context) {
  ResultRegistry registry;
  RegisterResults(registry);
  PublishedResult result(registry);
  ReadConfig({FileOf(command.id), command.overrides}, result);
  const auto start = std::chrono::steady_clock::now();
  const std::vector<GateRow> rows = result.result->Run({});
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
